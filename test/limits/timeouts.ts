import type { Fault } from '../../src/testing/index.ts'

/** The timeout of a call that meets this fault: short where no answer comes, and else longer than a busy machine takes. */
export const timeoutFor = (fault: Fault): number => ('delay' in fault || 'stall' in fault ? 2000 : 30_000)
