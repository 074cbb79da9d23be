import { transform } from 'sucrase'

type Stripped = { js: string; problem?: undefined } | { problem: { message: string; line: number; column: number } }

/** Returns a program as JavaScript, in the same lines, or its syntax error. Types are not checked. */
export function stripTypes(code: string): Stripped {
  try {
    return { js: transform(code, { transforms: ['typescript'], disableESTransforms: true }).code }
  } catch (error) {
    const { message, loc } = error as Error & { loc?: { line: number; column: number } }
    if (!loc) throw error
    return { problem: { message: message.replace(/ \(\d+:\d+\)$/, ''), ...loc } }
  }
}
