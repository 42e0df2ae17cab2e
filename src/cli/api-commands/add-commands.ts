import type { Command } from 'commander'
import { apiKeyHelp, managementKeyHelp } from '../kit/api-client.ts'
import { wholeNumber } from '../kit/option-parsers.ts'
import type { Terminal } from '../kit/terminal.ts'
import type { ApiCommand, Argument } from './api-command.ts'
import { groupOfTag, pathArguments, sharedOptions } from './defaults.ts'
import { argumentFor, helpFor, optionFor } from './fields.ts'
import { type Field, keyKind, type Operation, type OperationId, operations } from './operation.ts'
import { overrides, subgroups } from './overrides.ts'
import { type GeneratedCommand, type Parameter, runCommand } from './run-command.ts'

/** The generated commands: one or more for each operation, except for those with a hand-written command or a reason for none. */
export const generatedCommands: GeneratedCommand[] = Object.entries(operations).flatMap(([key, operation]) => {
  const id = key as OperationId
  const declared = overrides[id] ?? {}
  if ('handWritten' in declared || 'without' in declared) return []
  return [declared].flat().map((override) => ({ id, name: override.name ?? nameOf(operation), operation, override }))
})

/** Derives the name from method and path: `GET /keys/{hash}` is `keys show`, `GET /keys/{hash}/budgets` is `keys budgets`. */
function nameOf({ method, path, tag, response, creates }: Operation): string {
  const words = path
    .split('/')
    .filter((word) => word !== '' && word !== tag && !word.startsWith('{'))
    .join('-')
  const verbs = {
    GET: response === 'list' ? 'list' : 'show',
    // Other actions, such as `POST /interns/{id}/move`, have their verb in the path.
    POST: creates ? 'create' : '',
    PUT: 'set',
    PATCH: 'set',
    DELETE: 'delete',
  }
  const verb = verbs[method]
  const parts = method === 'GET' && words !== '' ? [words] : [verb, words]
  return `${groupOfTag[tag] ?? tag} ${parts.filter(Boolean).join('-')}`
}

/** Adds the generated commands of a group, such as `keys`. A group can be a command itself. */
export function addGeneratedCommands(group: Command, terminal: Terminal): void {
  for (const generated of generatedCommands) {
    const [first, ...words] = generated.name.split(' ')
    if (first === group.name()) configureCommand(addCommandAt(group, words), generated, terminal)
  }
}

/** Adds the command with these words below a group. Creates the subgroups above the command that are missing. */
function addCommandAt(group: Command, words: string[]): Command {
  let parent = group
  for (const [i, word] of words.entries()) {
    const existing = parent.commands.find((command) => command.name() === word)
    if (existing && i === words.length - 1) throw new Error(`Two commands have the name ${existing.name()}.`)
    const path = [...pathOf(parent), word].join(' ')
    parent = existing ?? parent.command(word).description(subgroups[path] ?? '')
  }
  return parent
}

const pathOf = (command: Command): string[] => (command.parent ? [...pathOf(command.parent), command.name()] : [])

/** The description of a command. Defaults to the summary of its operation, with "Show" instead of "Get". */
export const descriptionOf = ({ override, operation }: GeneratedCommand) =>
  override.description ?? operation.summary.replace(/^Get /, 'Show ')

function configureCommand(command: Command, generated: GeneratedCommand, terminal: Terminal): void {
  const { operation, override } = generated
  if (command.description() === '') command.description(descriptionOf(generated))
  const parameters: Parameter[] = []
  for (const [field, schema, argument] of argumentsOf(operation, override)) {
    command.addArgument(argumentFor(argument.name, schema, argument.help ?? helpFor(field, schema)))
    parameters.push({ field, schema, argument })
  }
  for (const [field, schema] of optionsOf(operation, override)) {
    const [flags, help] = override.options?.[field] || sharedOptions[field] || []
    const option = optionFor(field, schema, operation, flags, help)
    command.addOption(option)
    parameters.push({ field, schema, option: option.attributeName(), flag: option.long!, isNegated: option.negate })
  }
  if (override.fields) command.argument('<fields...>', override.fields)
  if (override.limit) command.option('--limit <count>', override.limit[1], wholeNumber(1), override.limit[0])
  if (!override.resultMessage && !override.print && operation.method !== 'DELETE' && isJson(operation))
    command.option('--json', 'Print JSON')
  const keyHelp = keyKind(operation) === 'api' ? apiKeyHelp : managementKeyHelp
  command.addHelpText('after', override.notes ? `\n${override.notes}\n${keyHelp}` : keyHelp)
  command.action((...values: unknown[]) => runCommand(generated, parameters, values, terminal))
}

const isJson = ({ response }: Operation) => response === 'list' || response === 'object'

const pagingFields = new Set(['offset', 'limit', 'starting_after', 'cursor'])

/** Whether a field has neither an argument nor an option, because the command sets it itself. */
const isHidden = (field: string, { in: location }: Field, override: ApiCommand) =>
  (location === 'query' && pagingFields.has(field)) ||
  field in (override.fixed ?? {}) ||
  field in (override.fromEnvironment ?? {})

function argumentsOf({ fields, tag }: Operation, override: ApiCommand): [string, Field, Argument][] {
  const namedArguments = override.arguments ?? {}
  const isArgument = ([field, schema]: [string, Field]) =>
    !isHidden(field, schema, override) && !override.options?.[field] && (schema.isRequired || field in namedArguments)
  // First the fields of the path, then those that the override lists, in its order, then others.
  const orderedFields = [
    ...Object.keys(fields).filter((field) => fields[field]!.in === 'path'),
    ...Object.keys(namedArguments),
  ]
  const positionOf = (field: string) =>
    orderedFields.includes(field) ? orderedFields.indexOf(field) : orderedFields.length
  return Object.entries(fields)
    .filter(isArgument)
    .sort(([a], [b]) => positionOf(a) - positionOf(b))
    .map(([field, schema]) => [field, schema, namedArguments[field] ?? argumentOf(tag, field, schema)])
}

function argumentOf(tag: string, field: string, { in: location }: Field): Argument {
  const shared = location === 'path' ? (pathArguments[`${tag} ${field}`] ?? pathArguments[field]) : undefined
  return shared ?? { name: field.replaceAll('_', '-') }
}

function optionsOf(operation: Operation, override: ApiCommand): [string, Field][] {
  const argumentFields = new Set(argumentsOf(operation, override).map(([field]) => field))
  return Object.entries(operation.fields).filter(
    ([field, schema]) =>
      !argumentFields.has(field) &&
      !isHidden(field, schema, override) &&
      override.options?.[field] !== false &&
      !(override.fields && schema.in === 'body'),
  )
}
