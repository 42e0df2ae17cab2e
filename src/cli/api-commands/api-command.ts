import type { ApiClient } from '../kit/api-client.ts'
import type { Terminal } from '../kit/terminal.ts'
import type { OperationId } from './operation.ts'

/** The values of arguments and options by the names of their fields. */
export type Input = Record<string, unknown>

/** Column headings with the text of a cell, or the names of fields. */
export type Columns = Record<string, (row: never) => string> | string[]

/** Converts a name that a person knows, such as an email address, to the ID in the path. */
type Resolve = (client: ApiClient, text: string) => Promise<string>

export type Argument = { name: string; help?: string; resolve?: Resolve }

/** The difference between a command and what follows from the description of its operation. */
export type ApiCommand = {
  /** The words after "signalbox". Defaults to the tag, the words of the path and a verb. */
  name?: string
  /** Defaults to the summary of the operation. */
  description?: string
  /** Fields that are arguments, in addition to required ones. */
  arguments?: Record<string, Argument>
  /** Options by field: flags, then the help if the API's does not suit. `false` removes the option. */
  options?: Record<string, [flags: string, help?: string] | false>
  /** Takes all other body fields as `name=value` arguments. The value is the help text. */
  fields?: string
  /** Fields that every call sends. */
  fixed?: Input
  /** Fields with secrets: they are read from this environment variable. */
  fromEnvironment?: Record<string, string>
  /** Adds `--limit` with this default, which reads one page. Without it, all pages are read. */
  limit?: [count: number, help: string]
  /** Takes the rows of a table from a response that is not a plain list. */
  rows?: (response: never) => unknown[]
  columns?: Columns
  /** Text below a table. */
  summary?: (response: never) => string
  /** The line to print instead of the response. */
  resultMessage?: (input: Input, response: Input) => string
  /** Fields that a record does not show, except with `--json`. */
  hides?: string[]
  /** Prints a response that is neither a table, a record nor a line. */
  print?: (response: never, terminal: Terminal) => void
  /** Text after the options. */
  notes?: string
}

/** The command or commands of an operation; or the hand-written one; or the reason for having none. */
type Override = ApiCommand | ApiCommand[] | { handWritten: string } | { without: string }

export type Overrides = { [id in OperationId]?: Override }

/** Declares columns with the type of their rows. */
export const columns = <Row>(cells: Record<string, (row: Row) => string>): Columns => cells

/** Prints the data of a response as JSON. */
export const printJson = ({ data }: { data: object }, { out }: Pick<Terminal, 'out'>) =>
  out(JSON.stringify(data, null, 2))
