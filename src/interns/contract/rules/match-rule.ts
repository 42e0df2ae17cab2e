import { inFolders } from './folders.ts'
import { isExactly, isWithin, type Match, startsWithPattern } from './match-command.ts'
import { foldedPath, hasUrlExpansion, hostMatches, hostsWithin, pathFrom, pathMatches } from './match-path.ts'
import type { Action, Rule } from './rule.ts'
import { possibleCommands, readCommands, type SimpleCommand } from './shell-words.ts'
import { isWrapperCommand } from './wrapper-commands.ts'

/** A part of an action that is matched separately: a simple command, or a whole call that is not a command. */
export type Part = {
  action: Action
  agent: string
  /** The command, if it can be parsed reliably. */
  command: SimpleCommand | undefined
  /** The possible words of a command that cannot be parsed; otherwise undefined. */
  loose: string[][] | undefined
  /** The possible words of the `command` argument of a tool that is not a shell. The tool can run it. */
  argumentWords: string[][]
  /** The possible working folders after `cd` commands; undefined if unknown. */
  folders: string[] | undefined
}

/** Splits a command into its simple commands. One that cannot be parsed is one part. */
export function partsOf(action: Action, agent: string): Part[] {
  const text = action.command ?? ''
  const whole = { action, agent, command: undefined, folders: [action.root] }
  if (!isCommand(action)) return [{ ...whole, loose: undefined, argumentWords: possibleCommands(text) }]
  const commands = action.unsure ? undefined : readCommands(text)
  if (!commands || commands.length === 0 || commands.some(isWrapperCommand))
    return [{ ...whole, loose: possibleCommands(text), argumentWords: [] }]
  return inFolders(commands, action.root).map((each) => ({
    action,
    agent,
    loose: undefined,
    argumentWords: [],
    ...each,
  }))
}

const isCommand = ({ operation, command }: Action) =>
  operation === null ? command !== null : operation === 'shell' || operation.startsWith('shell.')

/** Whether a rule matches a part. For an `allow` everything in the part must match, for other effects anything. */
export function ruleMatches(rule: Rule, part: Part): Match {
  const found = [...conditions(rule, part)]
  if (found.includes('no')) return 'no'
  return found.includes('perhaps') ? 'perhaps' : 'yes'
}

function* conditions(rule: Rule, part: Part): Iterable<Match> {
  const { agents, tools, commands, unclear, paths, hosts, effect } = rule
  const isAllow = effect === 'allow'
  // A command that cannot be parsed reliably, or that does more than its words, is never allowed.
  if (isAllow) yield matchOf(isPlain(part))
  // A tool of another kind can do anything with its files and addresses. It is allowed only by its name.
  if (isAllow && !tools && (paths || hosts)) yield matchOf(fileAndWebTools.has(part.action.operation ?? ''))
  if (agents) yield matchOf(agents.includes(part.agent))
  if (tools) yield toolMatches(tools, part, isAllow)
  if (unclear) yield matchOf(part.loose !== undefined)
  if (commands)
    yield isAllow
      ? matchOf(commands.some((each) => isExactly(each, part.command?.words ?? [null])))
      : commandMatches(commands, part)
  if (paths) yield isAllow ? matchOf(all(part.action.paths, paths, pathAllowed)) : pathsMatch(paths, part)
  if (hosts) yield isAllow ? matchOf(all(part.action.hosts, hosts, hostMatches)) : hostsMatch(hosts, part)
}

const fileAndWebTools = new Set(['edit', 'delete', 'move', 'read', 'search', 'fetch'])

const matchOf = (yes: boolean): Match => (yes ? 'yes' : 'no')

function isPlain({ action, command, loose }: Part): boolean {
  if (loose || action.unsure) return false
  return !command || (command.assigned.length === 0 && command.redirects.length === 0 && !command.words.includes(null))
}

/** Here `**` matches only folders of the workspace. */
const pathAllowed = (glob: string, path: string) =>
  glob.startsWith('/') === path.startsWith('/') && pathMatches(glob, path)

const all = (values: string[], patterns: string[], matches: (pattern: string, value: string) => boolean) =>
  values.length > 0 && values.every((value) => patterns.some((pattern) => matches(pattern, value)))

/** For `ask` and `deny`, `shell` also matches `shell.escalate`. */
function toolMatches(tools: string[], { action: { operation } }: Part, isAllow: boolean): Match {
  if (operation === null) return isAllow ? 'no' : 'perhaps'
  return matchOf(tools.some((tool) => operation === tool || (!isAllow && operation.startsWith(`${tool}.`))))
}

function commandMatches(patterns: string[], { command, loose, argumentWords }: Part): Match {
  if (loose) return patterns.some((pattern) => loose.some((words) => isWithin(pattern, words))) ? 'yes' : 'perhaps'
  if (!command) return matchOf(patterns.some((pattern) => argumentWords.some((words) => isWithin(pattern, words))))
  const found = patterns.map((pattern) => startsWithPattern(pattern, command.words))
  return found.includes('yes') ? 'yes' : found.includes('perhaps') ? 'perhaps' : 'no'
}

/** All words of a command count as paths, because it is unknown which ones are. */
function pathsMatch(patterns: string[], { action, command, loose, argumentWords, folders }: Part): Match {
  const words = command ? [...command.words, ...command.redirects] : (loose ?? argumentWords).flat()
  const named = words.flatMap((word) => (word === null ? [] : pathsIn(word)))
  const paths = named.flatMap((word) => (folders ?? [action.root]).map((folder) => pathFrom(action.root, word, folder)))
  const globs = patterns.map(foldedPath)
  if (
    [...action.paths, ...(action.linked ?? []), ...paths].some((path) =>
      globs.some((glob) => pathMatches(glob, foldedPath(path))),
    )
  )
    return 'yes'
  return action.unsure || loose || !folders || words.includes(null) ? 'perhaps' : 'no'
}

/** The possible paths of a command, not normalized: `a/../b` is not `b` if `a` is a link. */
export function pathsNamed(action: Action): string[] {
  return partsOf(action, '').flatMap(({ command, folders = [action.root], loose }) => {
    const words = command ? [...command.words, ...command.redirects] : (loose ?? []).flat()
    const named = words.flatMap((word) => (word === null ? [] : pathsIn(word)))
    return named.flatMap((word) => (word.startsWith('/') ? word : folders.map((folder) => `${folder}/${word}`)))
  })
}

/** `--file=.env`, `-f.env`, `d@.env` */
function pathsIn(word: string): string[] {
  const found = [word, ...word.split(/[=:@,]/).slice(1), ...(/^-[^-]./.test(word) ? [word.slice(2)] : [])]
  return found.filter((path) => path !== '')
}

function hostsMatch(patterns: string[], { action, command, loose }: Part): Match {
  const hosts = hostsOf(action)
  if (hosts.some((host) => patterns.some((pattern) => hostMatches(pattern, host)))) return 'yes'
  const isUnsure = action.unsure || loose || command?.words.includes(null) || hasUrlExpansion(action.command ?? '')
  return isUnsure || command?.words.some((word) => word && patterns.includes(word)) ? 'perhaps' : 'no'
}

/** The hosts of each action, computed once for all parts and rules. */
const hostsByAction = new WeakMap<Action, string[]>()

function hostsOf(action: Action): string[] {
  const cached = hostsByAction.get(action)
  if (cached) return cached
  const text = action.command ?? ''
  const hosts = [...action.hosts, ...[text, text.replace(/["'\\]/g, '')].flatMap(hostsWithin)]
  hostsByAction.set(action, hosts)
  return hosts
}
