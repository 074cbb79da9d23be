import type { Fault } from '../../src/testing/index.ts'

/** Whether a call that meets this fault gets no answer, and so ends with its timeout. */
export const isStuck = (fault: Fault): boolean => 'delay' in fault || 'stall' in fault

/** The timeout of a call that meets this fault: short where no answer comes, and else longer than a busy machine takes. */
export const timeoutFor = (fault: Fault): number => (isStuck(fault) ? 2000 : 30_000)
