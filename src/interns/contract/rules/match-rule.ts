import { compileRule } from './compiled-rule.ts'
import { type Match, matchesExactly, occursWithin, startsWithPattern } from './match-command.ts'
import { findHosts, hasUrlExpansion, matchesHost } from './match-host.ts'
import { foldPath, matchesPath, resolveFromRoot } from './match-path.ts'
import type { Action, Rule } from './rule.ts'
import { listPossibleWords, parseCommands, type SimpleCommand, type Word } from './shell-words.ts'
import { addOptionFolders, addWorkingFolders } from './working-folders.ts'
import { isWrapperCommand } from './wrapper-commands.ts'

/** A part of an action that is matched separately: a simple command, or a whole call that is not a command. */
export type ActionPart = {
  action: Action
  agent: string
  /** The command, if it can be parsed reliably. */
  command: SimpleCommand | undefined
  /** The possible words of a command that cannot be parsed; otherwise undefined. */
  unparsedWords: string[][] | undefined
  /** The possible words of the `command` argument of a tool that is not a shell. The tool can run that command. */
  argumentWords: string[][]
  /** The possible working folders after `cd` commands; undefined if unknown. */
  folders: string[] | undefined
  /** Whether the comparison with all rules would take too long. No `allow` matches it then, and commands, paths and hosts match `perhaps`. */
  isTooComplex?: true
}

/** Splits a command into its simple commands. A command that cannot be parsed is one part. */
export function splitAction(action: Action, agent: string): ActionPart[] {
  const text = action.command ?? ''
  const whole = { action, agent, command: undefined, folders: [folderOf(action)] }
  if (!isCommand(action)) return [{ ...whole, unparsedWords: undefined, argumentWords: listPossibleWords(text) }]
  const commands = action.unsure ? undefined : parseCommands(text)
  if (!commands || commands.length === 0 || commands.some(isWrapperCommand)) return [unparsedPart(whole, text)]
  return addWorkingFolders(commands, folderOf(action)).map((each) => ({
    action,
    agent,
    unparsedWords: undefined,
    argumentWords: [],
    ...each,
  }))
}

function unparsedPart(part: Omit<ActionPart, 'unparsedWords' | 'argumentWords'>, text: string): ActionPart {
  const unparsedWords = listPossibleWords(text)
  const folders = addOptionFolders(part.folders, unparsedWords[0] ?? [])
  return { ...part, folders, unparsedWords, argumentWords: [] }
}

const folderOf = ({ folder, root }: Action) => folder ?? root

const isCommand = ({ operation, command }: Action) =>
  operation === null ? command !== null : operation === 'shell' || operation.startsWith('shell.')

/** The most comparisons of an action with rules. They take about 0.1 seconds. */
const maxComparisons = 200_000
/** A longer word counts as several. */
const charactersPerWord = 64

/** Whether the comparison of these parts with all rules would take too long. */
export function areTooComplex(parts: ActionPart[], rules: Rule[]): boolean {
  const patterns = rules.reduce(
    (sum, { commands, paths, hosts }) => sum + countOf(commands) + countOf(paths) + countOf(hosts),
    0,
  )
  if (patterns === 0) return false
  const words = parts.reduce((sum, part) => sum + countWords(part), 0)
  return words * patterns > maxComparisons
}

const countOf = (values: string[] | undefined) => values?.length ?? 0

/** Counts the words of a part, once for each folder that they can be in, with the paths and hosts of its action. */
function countWords({ action, command, unparsedWords, argumentWords, folders }: ActionPart): number {
  const words = command ? listWords(command) : (unparsedWords ?? argumentWords).flat()
  const values = [...action.paths, ...(action.linked ?? []), ...action.hosts]
  const count = (texts: Word[]) => texts.reduce((sum, text) => sum + 1 + (text?.length ?? 0) / charactersPerWord, 0)
  return count(words) * (folders?.length ?? 1) + count(values)
}

/** Whether a rule matches a part. For an `allow` everything in the part must match, for other effects anything. */
export function matchRule(rule: Rule, part: ActionPart): Match {
  const matches = [...matchConditions(rule, part)]
  if (matches.includes('no')) return 'no'
  return matches.includes('perhaps') ? 'perhaps' : 'yes'
}

function* matchConditions(rule: Rule, part: ActionPart): Iterable<Match> {
  const { agents, tools, unclear, paths, hosts, effect } = rule
  const { commands, globs, foldedGlobs } = compileRule(rule)
  const isAllow = effect === 'allow'
  // A command that cannot be parsed reliably, or that does more than its words, is never allowed.
  if (isAllow) yield toMatch(!part.isTooComplex && isExactlyItsWords(part))
  // A tool of another kind can do anything with its files and addresses. It is allowed only by its name.
  if (isAllow && !tools && (paths || hosts)) yield toMatch(fileAndWebTools.has(part.action.operation ?? ''))
  if (agents) yield toMatch(agents.includes(part.agent))
  if (tools) yield matchTool(tools, part, isAllow)
  if (unclear) yield toMatch(part.unparsedWords !== undefined)
  if (part.isTooComplex) {
    if (rule.commands || paths || hosts) yield 'perhaps'
    return
  }
  if (commands.length > 0)
    yield isAllow
      ? toMatch(commands.some((each) => matchesExactly(each, part.command?.words ?? [null])))
      : matchCommand(commands, part)
  if (paths)
    yield isAllow
      ? toMatch(everyValueMatches(part.action.paths, globs, matchesAllowedPath))
      : matchPaths(foldedGlobs, part)
  if (hosts) yield isAllow ? toMatch(everyValueMatches(part.action.hosts, hosts, matchesHost)) : matchHosts(hosts, part)
}

const fileAndWebTools = new Set(['edit', 'delete', 'move', 'read', 'search', 'fetch'])

const toMatch = (isMatch: boolean): Match => (isMatch ? 'yes' : 'no')

function isExactlyItsWords({ action, command, unparsedWords }: ActionPart): boolean {
  if (unparsedWords || action.unsure) return false
  return (
    !command || (command.assignments.length === 0 && command.redirects.length === 0 && !command.words.includes(null))
  )
}

/** Whether a path matches the glob of an `allow`. Unlike in other rules, `**` matches only folders of the workspace. */
const matchesAllowedPath = (glob: string[], path: string) =>
  (glob[0] === '') === path.startsWith('/') && matchesPath(glob, path.split('/'))

const everyValueMatches = <Pattern>(
  values: string[],
  patterns: Pattern[],
  matches: (pattern: Pattern, value: string) => boolean,
) => values.length > 0 && values.every((value) => patterns.some((pattern) => matches(pattern, value)))

/** Matches the kind of tool. For `ask` and `deny`, `shell` also matches `shell.escalate`. */
function matchTool(tools: string[], { action: { operation } }: ActionPart, isAllow: boolean): Match {
  if (operation === null) return isAllow ? 'no' : 'perhaps'
  return toMatch(tools.some((tool) => operation === tool || (!isAllow && operation.startsWith(`${tool}.`))))
}

function matchCommand(patterns: string[][], { command, unparsedWords, argumentWords }: ActionPart): Match {
  if (unparsedWords)
    return patterns.some((pattern) => unparsedWords.some((words) => occursWithin(pattern, words))) ? 'yes' : 'perhaps'
  if (!command) return toMatch(patterns.some((pattern) => argumentWords.some((words) => occursWithin(pattern, words))))
  const matches = patterns.map((pattern) => startsWithPattern(pattern, command.words))
  if (matches.includes('yes')) return 'yes'
  return matches.includes('perhaps') ? 'perhaps' : 'no'
}

/** All words of a command count as paths, because it is unknown which ones are. */
function matchPaths(globs: string[][], part: ActionPart): Match {
  if (possiblePathsOf(part).some((path) => globs.some((glob) => matchesPath(glob, path)))) return 'yes'
  const { action, command, unparsedWords, folders } = part
  const hasUnknownWord = command !== undefined && listWords(command).includes(null)
  return action.unsure || unparsedWords || !folders || hasUnknownWord ? 'perhaps' : 'no'
}

/** The possible paths of each part as lists of folded names, computed once for all rules. */
const pathsByPart = new WeakMap<ActionPart, string[][]>()

function possiblePathsOf(part: ActionPart): string[][] {
  const cached = pathsByPart.get(part)
  if (cached) return cached
  const { action, command, unparsedWords, argumentWords, folders = [folderOf(action)] } = part
  const words = command ? listWords(command) : (unparsedWords ?? argumentWords).flat()
  const namedPaths = [...words.flatMap(listPathsInWord), ...(action.folder ? [action.folder] : [])]
  const resolved = namedPaths.flatMap((word) => folders.map((folder) => resolveFromRoot(action.root, word, folder)))
  const distinct = new Set([...action.paths, ...(action.linked ?? []), ...resolved].map(foldPath))
  const paths = [...distinct].map((path) => path.split('/'))
  pathsByPart.set(part, paths)
  return paths
}

/** The possible paths of a command, not normalized: `a/../b` is not `b` if `a` is a link. */
export function listPossiblePaths(action: Action): string[] {
  return splitAction(action, '').flatMap(({ command, folders = [folderOf(action)], unparsedWords }) => {
    const words = command ? listWords(command) : (unparsedWords ?? []).flat()
    const namedPaths = [...words.flatMap(listPathsInWord), ...(action.folder ? [action.folder] : [])]
    return namedPaths.flatMap((word) => (word.startsWith('/') ? word : folders.map((folder) => `${folder}/${word}`)))
  })
}

/** All words of a command, also those of its redirections and variables, which can be paths: `KEY=.env deploy`. */
const listWords = ({ words, redirects, assignments }: SimpleCommand): Word[] => [
  ...words,
  ...redirects,
  ...assignments.map((assignment) => assignment.replace(/["'\\]/g, '')),
]

/** The word itself, and paths within it: `--file=.env`, `-f.env`, `d@.env`, and `:/.env` or `:(top).env` of git. */
function listPathsInWord(word: Word): string[] {
  if (word === null) return []
  const paths = [word, ...word.split(/[=:@,]/).slice(1)]
  if (/^-[^-]./.test(word)) paths.push(word.slice(2))
  if (word.startsWith(':')) paths.push(word.replace(/^:(?:\([^)]*\)|[/!^]+)/, ''))
  return paths.filter((path) => path !== '')
}

function matchHosts(patterns: string[], { action, command, unparsedWords }: ActionPart): Match {
  const hosts = hostsOf(action)
  if (hosts.some((host) => patterns.some((pattern) => matchesHost(pattern, host)))) return 'yes'
  if (action.unsure || unparsedWords || hasUrlExpansion(action.command ?? '')) return 'perhaps'
  // A word without dots, such as `localhost`, can be a host or anything else.
  const isUnsure = command?.words.some((word) => word === null || (word !== '' && patterns.includes(word)))
  return isUnsure ? 'perhaps' : 'no'
}

/** The hosts of each action, computed once for all parts and rules. */
const hostsByAction = new WeakMap<Action, string[]>()

function hostsOf(action: Action): string[] {
  const cached = hostsByAction.get(action)
  if (cached) return cached
  const text = action.command ?? ''
  // The shell removes quotes and backslashes, which can divide a name: `evil".example"`.
  const unquoted = text.replace(/["'\\]/g, '')
  const hosts = [...action.hosts, ...[text, unquoted].flatMap(findHosts)]
  hostsByAction.set(action, hosts)
  return hosts
}
