/** The platform refused, and did nothing. */
export class PlatformRefusal extends Error {
  readonly status: number
  readonly body: object

  /** The reference shows no HTTP status for errors: these are the usual ones. */
  constructor(status: number, message: string, body: object = { error: 1, message }) {
    super(message)
    this.status = status
    this.body = body
  }
}

export function refuseIf(isWrong: boolean, message: string): void {
  if (isWrong) throw new PlatformRefusal(400, message)
}
