import type { Environment } from '#platform/config/load.ts'
import { StartupError } from '#platform/core/fault.ts'
import { type ApiClient, apiClient } from '../kit/api-client.ts'
import { fieldsFrom, listing } from '../kit/fields.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { type ApiCommand, type Argument, type Columns, type Input, minute } from './api-command.ts'
import { apiValue } from './fields.ts'
import { type Field, keyKind, type Operation, type OperationId } from './operation.ts'

/** A command that follows from the description of the API and its override. */
export type GeneratedCommand = { id: OperationId; name: string; operation: Operation; override: ApiCommand }

/** Where the value of a field is given: an argument, or an option by the name of its attribute. */
export type Placed = { field: string; schema: Field } & (
  | { argument: Argument }
  | { option: string; isNegated: boolean }
)

/** The columns of a table that no override describes. */
const maxColumns = 8

type Page = { data: unknown[]; has_more?: boolean; next_cursor?: string | null }
type Options = Record<string, unknown> & { json?: boolean; limit?: number }

/** Runs a generated command. `args` are what Commander passes: the arguments, the options and the command. */
export async function runCommand(
  { operation, override }: GeneratedCommand,
  parameters: Placed[],
  args: unknown[],
  terminal: Terminal,
): Promise<void> {
  const options = args.at(-2) as Options
  const input = inputFrom(parameters, args, options)
  if (override.fields) {
    const words = args[parameters.filter((one) => 'argument' in one).length] as string[]
    Object.assign(
      input,
      fieldsFrom(words, (field) => operation.fields[field]?.type === 'list'),
    )
  }
  requireChange(operation, input, parameters)
  const secrets = readSecrets(override.fromEnvironment, operation, terminal.env)
  const client = apiClient(terminal.env, keyKind(operation))
  const sent = await resolved({ ...input, ...override.fixed, ...secrets }, parameters, client)
  const { path, query, body } = requestOf(operation, sent)
  const { out } = terminal

  if (operation.answer === 'text') return printText(await client.download(withQuery(path, query)), out)
  if (options.limit !== undefined) query.set('limit', String(options.limit))
  const isWhole = operation.method === 'GET' && operation.answer === 'list' && options.limit === undefined
  const answer = isWhole
    ? { data: await readAll(client, operation, path, query) }
    : await client.request<Input>(operation.method, withQuery(path, query), body)
  if (override.print) return override.print(answer as never, terminal)
  if (override.resultMessage) return out(override.resultMessage(input, answer))
  if (options.json) return out(JSON.stringify(answer.data ?? answer, null, 2))
  out(textOf(answer, operation, override, input))
}

function textOf(answer: Input, operation: Operation, override: ApiCommand, input: Input): string {
  const data = answer.data ?? answer
  const rows = override.rows ? override.rows(data as never) : data
  if (Array.isArray(rows)) {
    const text = tableOf(rows, override.columns ?? (operation.columns ?? []).slice(0, maxColumns))
    return override.summary ? `${text}\n\n${override.summary(data as never)}` : text
  }
  if (operation.method === 'DELETE') return `Deleted ${Object.values(input).at(-1) ?? ''}.`
  const visible = Object.entries(data).filter(([name]) => !override.hides?.includes(name))
  return listing(Object.fromEntries(visible))
}

function inputFrom(parameters: Placed[], args: unknown[], options: Options): Input {
  const input: Input = {}
  for (const [index, one] of parameters.entries()) {
    const value = 'argument' in one ? args[index] : options[one.option]
    // Commander sets the option of `--no-start` to true if it is not given.
    const isPresent = 'argument' in one || !one.isNegated ? value !== undefined : value === false
    if (isPresent) input[one.field] = apiValue(one.schema, value)
  }
  return input
}

/** @throws StartupError for an update that changes nothing */
function requireChange({ method, fields }: Operation, input: Input, parameters: Placed[]): void {
  const isBody = (field: string) => fields[field]?.in !== 'path' && fields[field]?.in !== 'query'
  if (method !== 'PATCH' || Object.keys(input).some(isBody)) return
  const names = parameters.flatMap((one) => ('option' in one ? [`--${one.field.replaceAll('_', '-')}`] : []))
  if (names.length > 0)
    throw new StartupError(`Specify at least one of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}.`)
}

function readSecrets(variables: Record<string, string> = {}, { fields }: Operation, env: Environment): Input {
  const found: Input = {}
  for (const [field, variable] of Object.entries(variables)) {
    if (env[variable]) found[field] = env[variable]
    else if (fields[field]!.isRequired)
      throw new StartupError(`Set the environment variable ${variable} to the provider key.`)
  }
  return found
}

async function resolved(input: Input, parameters: Placed[], client: ApiClient): Promise<Input> {
  const all = { ...input }
  for (const one of parameters) {
    const resolve = 'argument' in one ? one.argument.resolve : undefined
    if (!resolve) continue
    const args = all[one.field]
    all[one.field] = Array.isArray(args)
      ? await Promise.all(args.map((text) => resolve(client, text)))
      : await resolve(client, String(args))
  }
  return all
}

function requestOf({ method, path, fields }: Operation, input: Input) {
  const query = new URLSearchParams()
  const body: Input = {}
  let target = path
  for (const [field, value] of Object.entries(input)) {
    const place = fields[field]?.in ?? 'body'
    if (place === 'path') target = target.replace(`{${field}}`, escaped(String(value), fields[field]))
    else if (place === 'query') query.set(field, String(value))
    else body[field] = value
  }
  const hasBody = method !== 'GET' && Object.values(fields).some((field) => field.in === 'body')
  return { path: target, query, body: hasBody ? body : undefined }
}

function escaped(value: string, field: Field | undefined): string {
  if (!field?.hasSlash) return encodeURIComponent(value)
  if (/^[^/]+\/[^/]+$/.test(value)) return value.split('/').map(encodeURIComponent).join('/')
  throw new StartupError(`"${value}" is not an ID with a slash, such as "openai/gpt-5.2".`)
}

const withQuery = (path: string, query: URLSearchParams) => (query.size > 0 ? `${path}?${query}` : path)

async function readAll(client: ApiClient, { fields }: Operation, path: string, query: URLSearchParams) {
  if ('offset' in fields) return client.listAll<unknown>(withQuery(path, query))
  if ('limit' in fields) query.set('limit', '100')
  const all: unknown[] = []
  for (;;) {
    const { data, has_more, next_cursor: next } = await client.request<Page>('GET', withQuery(path, query))
    all.push(...data)
    if (!has_more || !next) return all
    query.set('starting_after', next)
  }
}

async function printText(chunks: AsyncIterable<Uint8Array>, out: Terminal['out']): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true })
    const end = text.lastIndexOf('\n')
    if (end >= 0) out(text.slice(0, end))
    rest = text.slice(end + 1)
  }
  if (rest) out(rest)
}

function tableOf(rows: unknown[], columns: Columns): string {
  if (!Array.isArray(columns)) {
    const cells = Object.values(columns)
    return table(
      Object.keys(columns),
      rows.map((row) => cells.map((cell) => cell(row as never))),
    )
  }
  return table(
    columns.map(headingOf),
    rows.map((row) => columns.map((name) => cellOf((row as Input)[name]))),
  )
}

/** `created_at` becomes `CREATED (UTC)`. */
const headingOf = (name: string) => name.replace(/_at$/, ' (UTC)').replaceAll('_', ' ').toUpperCase()

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '-'
  const text = String(value)
  return /^\d{4}-\d\d-\d\dT/.test(text) ? minute(text) : text
}
