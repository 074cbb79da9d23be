/** Defines the calls of this API: what each sends, and where its result is in the body. */
import type * as z from 'zod/v4/mini'
import type { ChecksFor } from '../checks/checks.ts'
import { type CallDefinition, type Page, type PageQuery, pageChecks } from '../definition.ts'
import { readBody } from './envelope.ts'
import { readPage } from './pages.ts'
import type { Prepare } from './prepare.ts'

type Common = Pick<CallDefinition, 'api' | 'effect' | 'path' | 'argumentNames'>

interface CallParts<Params extends object, Result> extends Common {
  readonly query?: ChecksFor<Params>
  readonly body?: ChecksFor<Params>
  readonly result: z.core.$ZodType<Result>
  /** The key of the result in the body. Default: its fields are beside `error`. */
  readonly dataKey?: string
  /** Prepares the result for its schema. Default: `{}` for `[]`. */
  readonly prepare?: Prepare
}

/** Defines a call: its method and path, the checks of what it sends, and the schema of its result. */
export function defineCall<const Line extends string, Result, Params extends object = never>(
  line: Line,
  parts: CallParts<Params, Result>,
): CallDefinition<Line, Params, Result> {
  return { line, ...parts, read: readBody(parts.result, parts.dataKey, parts.prepare) }
}

interface ListParts<Query extends object, Row> extends Common {
  /** Default: the checks of the page. */
  readonly query?: ChecksFor<Query>
  /** The key of the rows, or several if servers differ. The documented one comes first. */
  readonly listKey: string | readonly string[]
  readonly row: z.core.$ZodType<Row>
  /** Prepares each row for its schema. Default: `{}` for `[]`. */
  readonly prepare?: Prepare
}

/** Defines a list. */
export function defineList<const Line extends string, Row, Query extends object = PageQuery>(
  line: Line,
  parts: ListParts<Query, Row>,
): CallDefinition<Line, Query, Page<Row>> {
  return { line, query: pageChecks, ...parts, read: readPage(parts.listKey, parts.row, parts.prepare) }
}
