import { UserFacingError } from '#platform/core/fault.ts'
import type { Environment } from '#platform/process/environment.ts'
import { type ApiClient, createApiClient } from '../kit/api-client.ts'
import { formatRecord, parseFields } from '../kit/fields.ts'
import { minute } from '../kit/format.ts'
import { table } from '../kit/table.ts'
import type { Terminal } from '../kit/terminal.ts'
import { unknownFilterHints } from '../kit/unknown-filter-hints.ts'
import type { ApiCommand, Argument, Columns, Input } from './api-command.ts'
import { apiValue } from './fields.ts'
import { type Field, keyKind, type Operation, type OperationId } from './operation.ts'

/** A command that follows from the description of the API and its override. */
export type GeneratedCommand = { id: OperationId; name: string; operation: Operation; override: ApiCommand }

/** Where the value of a field is given: an argument, or an option by its flag and the name of its attribute. */
export type Parameter = { field: string; schema: Field } & (
  | { argument: Argument }
  | { option: string; flag: string; isNegated: boolean }
)

/** The maximum number of columns of a table that no override describes. */
const maxColumns = 8

type Options = Record<string, unknown> & { json?: boolean; limit?: number }

/** Runs a generated command. `args` are what Commander passes: the arguments, the options and the command. */
export async function runCommand(
  { operation, override }: GeneratedCommand,
  parameters: Parameter[],
  args: unknown[],
  terminal: Terminal,
): Promise<void> {
  const options = args.at(-2) as Options
  const input = readInput(parameters, args, options)
  if (override.fields) {
    const words = args[parameters.filter((parameter) => 'argument' in parameter).length] as string[]
    Object.assign(
      input,
      parseFields(words, (field) => operation.fields[field]?.type === 'list'),
    )
  }
  const secrets = readSecrets(override.fromEnvironment, operation, terminal.env)
  requireChange(operation, { ...input, ...secrets }, parameters)
  const client = createApiClient(terminal.env, keyKind(operation))
  const resolvedInput = await resolveIds({ ...input, ...override.fixed, ...secrets }, parameters, client)
  const { path, query, body } = buildRequest(operation, resolvedInput)
  const { out, err } = terminal
  const printHints = async () => {
    const { user_id: member, workspace_id: workspace } = Object.fromEntries(query)
    for (const hint of await unknownFilterHints(client, { member, workspace })) err(hint)
  }

  if (operation.response === 'text') {
    const lineCount = await printText(await client.download(withQuery(path, query)), out)
    // The first line has the names of the columns.
    if (lineCount <= 1) await printHints()
    return
  }
  if (options.limit !== undefined) query.set('limit', String(options.limit))
  const readsAllPages = operation.method === 'GET' && operation.response === 'list' && options.limit === undefined
  const response = readsAllPages
    ? { data: await readAll(client, operation, withQuery(path, query)) }
    : await client.request<Input>(operation.method, withQuery(path, query), body)
  if (operation.method === 'GET' && Array.isArray(response.data) && response.data.length === 0) await printHints()
  if (override.print) return override.print(response as never, terminal)
  if (override.resultMessage) return out(override.resultMessage(input, response))
  if (options.json) return out(JSON.stringify(response.data ?? response, null, 2))
  out(formatResponse(response, operation, override, input))
}

function formatResponse(response: Input, operation: Operation, override: ApiCommand, input: Input): string {
  const data = response.data ?? response
  const rows = override.rows ? override.rows(data as never) : data
  if (Array.isArray(rows)) {
    const text = formatTable(rows, override.columns ?? (operation.columns ?? []).slice(0, maxColumns))
    return override.summary ? `${text}\n\n${override.summary(data as never)}` : text
  }
  // The last argument names the deleted object.
  if (operation.method === 'DELETE') return `Deleted ${Object.values(input).at(-1) ?? ''}.`
  const visible = Object.entries(data).filter(([name]) => !override.hides?.includes(name))
  return formatRecord(Object.fromEntries(visible))
}

/** Returns the values that the user gave, by the fields of the API. */
function readInput(parameters: Parameter[], args: unknown[], options: Options): Input {
  const input: Input = {}
  for (const [index, parameter] of parameters.entries()) {
    const value = 'argument' in parameter ? args[index] : options[parameter.option]
    // Commander sets the option of `--no-start` to true if it is not given.
    const isNegated = 'option' in parameter && parameter.isNegated
    const isPresent = isNegated ? value === false : value !== undefined
    if (isPresent) input[parameter.field] = apiValue(parameter.schema, value)
  }
  return input
}

/** @throws UserFacingError for an update that changes nothing */
function requireChange({ method, fields }: Operation, input: Input, parameters: Parameter[]): void {
  const isBody = (field: string) => fields[field]?.in !== 'path' && fields[field]?.in !== 'query'
  if (method !== 'PATCH' || Object.keys(input).some(isBody)) return
  const flags = parameters.flatMap((parameter) => ('option' in parameter ? [parameter.flag] : []))
  if (flags.length > 0) throw new UserFacingError(`Specify at least one of these options: ${flags.join(', ')}.`)
}

function readSecrets(variables: Record<string, string> = {}, { fields }: Operation, env: Environment): Input {
  const found: Input = {}
  for (const [field, variable] of Object.entries(variables)) {
    if (env[variable]) found[field] = env[variable]
    else if (fields[field]!.isRequired)
      throw new UserFacingError(`Set the environment variable ${variable} to the provider key.`)
  }
  return found
}

/** Replaces names that a person knows, such as email addresses, by the IDs of the API. */
async function resolveIds(input: Input, parameters: Parameter[], client: ApiClient): Promise<Input> {
  const resolved = { ...input }
  for (const parameter of parameters) {
    const resolve = 'argument' in parameter ? parameter.argument.resolve : undefined
    if (!resolve) continue
    const args = resolved[parameter.field]
    resolved[parameter.field] = Array.isArray(args)
      ? await Promise.all(args.map((text) => resolve(client, text)))
      : await resolve(client, String(args))
  }
  return resolved
}

function buildRequest({ method, path, fields }: Operation, input: Input) {
  const query = new URLSearchParams()
  const body: Input = {}
  let target = path
  for (const [field, value] of Object.entries(input)) {
    const location = fields[field]?.in ?? 'body'
    if (location === 'path') target = target.replace(`{${field}}`, escapePathValue(String(value), fields[field]))
    else if (location === 'query') query.set(field, String(value))
    else body[field] = value
  }
  const hasBody = method !== 'GET' && Object.values(fields).some((field) => field.in === 'body')
  return { path: target, query, body: hasBody ? body : undefined }
}

function escapePathValue(value: string, field: Field | undefined): string {
  if (!field?.hasSlash) return encodeURIComponent(value)
  if (/^[^/]+\/[^/]+$/.test(value)) return value.split('/').map(encodeURIComponent).join('/')
  throw new UserFacingError(`"${value}" is not an ID with a slash, such as "openai/gpt-5.2".`)
}

const withQuery = (path: string, query: URLSearchParams) => (query.size > 0 ? `${path}?${query}` : path)

/** The longest page of the lists with cursors. */
const maxPageSize = 100

function readAll(client: ApiClient, { fields }: Operation, path: string): Promise<unknown[]> {
  return 'offset' in fields
    ? client.listAll(path)
    : client.listAllByCursor(path, 'limit' in fields ? maxPageSize : undefined)
}

/** Prints a text as it arrives. Lines end with `\n`, also those of CSV. @returns the number of lines */
async function printText(chunks: AsyncIterable<Uint8Array>, out: Terminal['out']): Promise<number> {
  const decoder = new TextDecoder()
  let partialLine = ''
  let lineCount = 0
  const print = (lines: string) => {
    lineCount += lines.split('\n').length
    out(lines.replaceAll('\r\n', '\n').replace(/\r$/, ''))
  }
  for await (const chunk of chunks) {
    const text = partialLine + decoder.decode(chunk, { stream: true })
    const end = text.lastIndexOf('\n')
    if (end >= 0) print(text.slice(0, end))
    partialLine = text.slice(end + 1)
  }
  if (partialLine) print(partialLine)
  return lineCount
}

function formatTable(rows: unknown[], columns: Columns): string {
  if (!Array.isArray(columns)) {
    const cells = Object.values(columns)
    return table(
      Object.keys(columns),
      rows.map((row) => cells.map((cell) => cell(row as never))),
    )
  }
  return table(
    columns.map(toHeading),
    rows.map((row) => columns.map((name) => formatCell((row as Input)[name]))),
  )
}

/** `created_at` becomes `CREATED (UTC)`. */
const toHeading = (name: string) => name.replace(/_at$/, ' (UTC)').replaceAll('_', ' ').toUpperCase()

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  const text = String(value)
  return /^\d{4}-\d\d-\d\dT/.test(text) ? minute(text) : text
}
