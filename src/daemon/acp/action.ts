import { join } from 'node:path'
import { hostOf, pathFrom } from '#interns/contract/rules/match-path.ts'
import { placesNamed } from '#interns/contract/rules/match-rule.ts'
import type { Action } from '#interns/contract/rules/rule.ts'
import { operationOf } from './operation.ts'
import { resolveLinks } from './resolve-links.ts'
import { commandRunBy, type ToolCall } from './tool-call.ts'

/** Under which names agents tell the files and addresses of a call in its input. */
const pathNames =
  /^(?:(?:abs(?:olute)?|file|dir|directory|folder|notebook|target|source|src|destination|dest|dst|old|new|from|to)_?)?(?:file_?)?paths?$|^(?:file_?name|files?|filePath|notebookPath|absolutePath|relativePath|source|destination|directory|folder)$/i
const addressNames = /^(?:ur[il]s?|href|address|endpoint)$/i
const folderNames = /^(?:cwd|workdir|working_?dir(?:ectory)?)$/i
/** Kinds of tools that are about files, or about addresses: one that names none cannot be judged with certainty. */
const ofFiles = new Set(['edit', 'delete', 'move', 'read'])

const most = { values: 100, named: 2000, length: 4000, command: 64_000 }

/** What a tool call is about, for rules to judge. */
export function actionOf(tool: ToolCall, workspace: string): Action {
  const operation = operationOf(tool)
  const input = objectIn(tool.input)
  const { command: shown, script } = commandRunBy(tool)
  const command = script ?? shown ?? tool.script ?? tool.command ?? null
  const named = shown === undefined ? valuesOf(input, pathNames) : []
  const paths = [...new Set([...(tool.paths ?? []), ...(tool.changes ?? []).map(({ path }) => path), ...named])]
  const told = valuesOf(input, addressNames)
  const addresses = operation === 'fetch' && told.length === 0 ? (tool.title?.match(/https?:\S+/g) ?? []) : told
  const hosts = addresses.map(hostOf)
  const isElsewhere = valuesOf(input, folderNames).some((folder) => pathFrom(workspace, folder).startsWith('/'))
  const unsure =
    isElsewhere ||
    // A tool that is neither named nor said to run commands may do more than the command in its input.
    (shown !== undefined && tool.kind === 'other') ||
    hosts.includes(undefined) ||
    paths.some((path) => /^~|[\0\n]/.test(path) || placeOf(workspace, path) === undefined) ||
    (operation === 'fetch' && hosts.length === 0) ||
    (operation !== null && ofFiles.has(operation) && paths.length === 0) ||
    [paths, hosts].some((list) => list.length > most.values) ||
    paths.some((path) => path.length > most.length) ||
    (command?.length ?? 0) > most.command
  const action: Action = {
    operation,
    command: command?.slice(0, most.command) ?? null,
    paths: [...new Set(paths.slice(0, most.values).flatMap((path) => placesOf(workspace, path.slice(0, most.length))))],
    hosts: [...new Set(hosts.slice(0, most.values).filter((host) => host !== undefined))],
    root: workspace,
    unsure,
  }
  if (command === null) return action
  const linked = linkedBy(action)
  if (!linked) return { ...action, unsure: true }
  return linked.length > 0 ? { ...action, linked } : action
}

/** Where a path says that it leads, and where it leads by the links that are there now. */
function placesOf(workspace: string, path: string): string[] {
  const whole = placeOf(workspace, path) ?? join(workspace, path)
  return [pathFrom(workspace, whole), pathFrom(resolveLinks(workspace), resolveLinks(whole))]
}

/** Where the words of a command lead, other than they say. Undefined where it names more than is looked at. */
function linkedBy(action: Action): string[] | undefined {
  const named = new Set(placesNamed(action))
  if (named.size > most.named) return undefined
  const root = resolveLinks(action.root)
  const linked = new Set<string>()
  for (const path of named) {
    const there = pathFrom(root, resolveLinks(path))
    if (there !== pathFrom(action.root, path)) linked.add(there)
  }
  return linked.size > most.values ? undefined : [...linked]
}

/** Undefined for an address of a file that is none. */
function placeOf(workspace: string, path: string): string | undefined {
  if (!path.startsWith('file://')) return path.startsWith('/') ? path : `${workspace}/${path}`
  try {
    return decodeURIComponent(new URL(path).pathname)
  } catch {
    return undefined
  }
}

function valuesOf(input: object | undefined, names: RegExp): string[] {
  return Object.entries(input ?? {}).flatMap(([name, value]) => {
    if (!names.test(name)) return []
    return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one !== '') as string[]
  })
}

function objectIn(text: string | undefined): object | undefined {
  if (!text?.startsWith('{')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
