import { examine, MAX_REQUESTS, type Subject } from '../../src/cli/doctor/examine.ts'
import { type Report, reportOf } from '../../src/cli/doctor/report.ts'
import { createSandbox, type Sandbox, type SandboxDialect, type SandboxOptions } from '../../src/testing/index.ts'

/** A whole examination, against any fetch. */
export async function diagnose(subject: Partial<Subject>): Promise<Report> {
  const findings = await examine({
    authScheme: 'Bearer',
    maxRequests: MAX_REQUESTS,
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
  subject: Partial<Subject> = {},
): Promise<{ report: Report; sandbox: Sandbox }> {
  const sandbox = createSandbox({ dialect, ...options })
  prepare(sandbox)
  const { baseUrl, openerUrl, apiKey, fetch } = sandbox
  const report = await diagnose({ baseUrl, openerUrl, apiKey, fetch, ...subject })
  return { report, sandbox }
}

/** Calls that did not end as they should. */
export const failed = ({ calls }: Report) => calls.filter(({ ok }) => !ok).map(({ call }) => call)
