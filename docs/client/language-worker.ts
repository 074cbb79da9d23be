import { expose } from 'comlink'
import { LanguageService } from './language-service.ts'

const loaded = fetch(new URL('./types.json', self.location.href))
  .then((response) => response.json())
  .then((declarations) => new LanguageService(declarations))

/** TypeScript in a worker, for all editors of a page. */
export interface LanguageWorker {
  /** What a method of the service says about a program, which comes with every question. */
  ask(about: keyof LanguageService, path: string, code: string, ...rest: (number | string)[]): Promise<unknown>
}

const worker: LanguageWorker = {
  async ask(about, path, code, ...rest) {
    const service = await loaded
    service.update(path, code)
    const method = service[about] as (...values: unknown[]) => unknown
    return method.call(service, path, ...rest)
  },
}

expose(worker)
