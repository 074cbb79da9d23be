/** What an action says when it is done. @see reference, “Success messages” */
export interface ActionResult {
  /** In the language of the deployment; `''` where it sends none. Do not compare it. */
  message: string
}

/** What was made. */
export interface Created {
  id: number
}
