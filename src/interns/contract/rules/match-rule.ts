import { inFolders } from './folders.ts'
import { begins, isExactly, isWithin, type Match } from './match-command.ts'
import { foldedPath, hostMatches, hostsWithin, mayNameOthers, pathFrom, pathMatches } from './match-path.ts'
import type { Action, Rule } from './rule.ts'
import { looseWords, readCommands, type SimpleCommand } from './shell-words.ts'
import { runsOtherCommands } from './wrapper-commands.ts'

/** A part of what is to be done that is judged by itself: a simple command, or all of a call that is no command. */
export type Part = {
  action: Action
  agent: string
  /** The command, where it can be read with certainty. */
  command: SimpleCommand | undefined
  /** All that may be a word of a command that cannot be read; undefined for what is no such command. */
  loose: string[][] | undefined
  /** The same of what is told to a tool that is no shell as its `command`: it is not what is done, but may come to it. */
  told: string[][]
  /** The folders that it may be run in, because of `cd` before it; undefined where that is not known. */
  folders: string[] | undefined
}

/** A command is as many parts as it has simple commands; one that cannot be read is one. */
export function partsOf(action: Action, agent: string): Part[] {
  const text = action.command ?? ''
  const whole = { action, agent, command: undefined, folders: [action.root] }
  if (!isCommand(action)) return [{ ...whole, loose: undefined, told: looseWords(text) }]
  const commands = action.unsure ? undefined : readCommands(text)
  if (!commands || commands.length === 0 || commands.some(runsOtherCommands))
    return [{ ...whole, loose: looseWords(text), told: [] }]
  return inFolders(commands, action.root).map((each) => ({ action, agent, loose: undefined, told: [], ...each }))
}

const isCommand = ({ operation, command }: Action) =>
  operation === null ? command !== null : operation === 'shell' || operation.startsWith('shell.')

/** Whether a rule is about a part. For an `allow` all that there is must be what it says; for the others any of it. */
export function ruleMatches(rule: Rule, part: Part): Match {
  const found = [...conditions(rule, part)]
  if (found.includes('no')) return 'no'
  return found.includes('perhaps') ? 'perhaps' : 'yes'
}

function* conditions(rule: Rule, part: Part): Iterable<Match> {
  const { agents, tools, commands, unclear, paths, hosts, effect } = rule
  const isAllow = effect === 'allow'
  // What is not read with certainty, or is more than its words, is never what somebody allowed.
  if (isAllow) yield said(isPlain(part))
  // A tool that is not for files or addresses may do anything with those that it is told: who means it says its name.
  if (isAllow && !tools && (paths || hosts)) yield said(forPlaces.has(part.action.operation ?? ''))
  if (agents) yield said(agents.includes(part.agent))
  if (tools) yield toolMatches(tools, part, isAllow)
  if (unclear) yield said(part.loose !== undefined)
  if (commands)
    yield isAllow
      ? said(commands.some((each) => isExactly(each, part.command?.words ?? [null])))
      : commandMatches(commands, part)
  if (paths) yield isAllow ? said(all(part.action.paths, paths, pathAllowed)) : pathsMatch(paths, part)
  if (hosts) yield isAllow ? said(all(part.action.hosts, hosts, hostMatches)) : hostsMatch(hosts, part)
}

const forPlaces = new Set(['edit', 'delete', 'move', 'read', 'search', 'fetch'])

const said = (yes: boolean): Match => (yes ? 'yes' : 'no')

function isPlain({ action, command, loose }: Part): boolean {
  if (loose || action.unsure) return false
  return !command || (command.assigned.length === 0 && command.redirects.length === 0 && !command.words.includes(null))
}

/** `**` is any folder of the workspace there, and no other. */
const pathAllowed = (glob: string, path: string) =>
  glob.startsWith('/') === path.startsWith('/') && pathMatches(glob, path)

const all = (values: string[], patterns: string[], matches: (pattern: string, value: string) => boolean) =>
  values.length > 0 && values.every((value) => patterns.some((pattern) => matches(pattern, value)))

/** `shell` stands for `shell.escalate`, too, where something is to be asked about or denied. */
function toolMatches(tools: string[], { action: { operation } }: Part, isAllow: boolean): Match {
  if (operation === null) return isAllow ? 'no' : 'perhaps'
  return said(tools.some((tool) => operation === tool || (!isAllow && operation.startsWith(`${tool}.`))))
}

function commandMatches(patterns: string[], { command, loose, told }: Part): Match {
  if (loose) return patterns.some((pattern) => loose.some((words) => isWithin(pattern, words))) ? 'yes' : 'perhaps'
  if (!command) return said(patterns.some((pattern) => told.some((words) => isWithin(pattern, words))))
  const found = patterns.map((pattern) => begins(pattern, command.words))
  return found.includes('yes') ? 'yes' : found.includes('perhaps') ? 'perhaps' : 'no'
}

/** Of a command its words count as paths: which of them are is not known. */
function pathsMatch(patterns: string[], { action, command, loose, told, folders }: Part): Match {
  const words = command ? [...command.words, ...command.redirects] : (loose ?? told).flat()
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

/** All that words of a command may name, as they are written: `a/../b` is another file than `b` where `a` is a link. */
export function placesNamed(action: Action): string[] {
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
  const isUnsure = action.unsure || loose || command?.words.includes(null) || mayNameOthers(action.command ?? '')
  return isUnsure || command?.words.some((word) => word && patterns.includes(word)) ? 'perhaps' : 'no'
}

/** The same for all parts and rules: looked for once. */
const found = new WeakMap<Action, string[]>()

function hostsOf(action: Action): string[] {
  const known = found.get(action)
  if (known) return known
  const text = action.command ?? ''
  const hosts = [...action.hosts, ...[text, text.replace(/["'\\]/g, '')].flatMap(hostsWithin)]
  found.set(action, hosts)
  return hosts
}
