import { examine } from '../../src/cli/doctor/examine.ts'
import { type Report, reportOf } from '../../src/cli/doctor/report.ts'
import type { Fetch } from '../../src/runtime/fetch.ts'
import { createSandbox, type Sandbox, type SandboxDialect, type SandboxOptions } from '../../src/testing/index.ts'

/** A whole examination, against any fetch. */
export async function diagnose(
  subject: { baseUrl?: string; openerUrl?: string; apiKey?: string; fetch?: Fetch; timeout?: number } = {},
): Promise<Report> {
  const findings = await examine({
    baseUrl: undefined,
    openerUrl: undefined,
    apiKey: undefined,
    allowInsecureHttp: false,
    fetch: globalThis.fetch,
    timeout: 10_000,
    onProgress: () => {},
    ...subject,
  })
  return reportOf(findings)
}

/** An examination of a sandbox, without a network. */
export async function diagnoseSandbox(
  dialect: SandboxDialect,
  options: SandboxOptions = {},
  prepare: (sandbox: Sandbox) => void = () => {},
): Promise<{ report: Report; sandbox: Sandbox }> {
  const sandbox = createSandbox({ dialect, ...options })
  prepare(sandbox)
  const report = await diagnose(sandbox.clientOptions)
  return { report, sandbox }
}

/** Calls that did not end as they should. */
export const failed = ({ calls }: Report) => calls.filter(({ ok }) => !ok).map(({ call }) => call)
