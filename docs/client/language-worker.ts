import { LanguageService } from './language-service.ts'

/*
 * TypeScript in a worker, for all editors of a page. An editor sends its program with every question, so that an answer is
 * always about the program that was asked about.
 */
export interface Question {
  id: number
  about: 'completions' | 'completion' | 'hover' | 'parameters' | 'problems' | 'javascript'
  path: string
  code: string
  /** What the method takes besides the path. */
  rest: (number | string)[]
}

export interface Answer {
  id: number
  result?: unknown
  /** Why there is none. */
  failure?: string
}

const ready = fetch(new URL('./types.json', self.location.href))
  .then((response) => response.json())
  .then((files) => new LanguageService(files))

self.addEventListener('message', async ({ data }: MessageEvent<Question>) => {
  const { id, about, path, code, rest } = data
  try {
    const service = await ready
    service.update(path, code)
    const method = service[about] as (...values: unknown[]) => unknown
    answer({ id, result: method.call(service, path, ...rest) })
  } catch (error) {
    answer({ id, failure: String(error) })
  }
})

function answer(message: Answer): void {
  self.postMessage(message)
}
