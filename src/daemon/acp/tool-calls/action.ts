import { join, resolve } from 'node:path'
import { parseHost } from '#interns/contract/rules/match-host.ts'
import { resolveFromRoot } from '#interns/contract/rules/match-path.ts'
import { listPossiblePaths } from '#interns/contract/rules/match-rule.ts'
import { type Action, actionLimits } from '#interns/contract/rules/rule.ts'
import { maxEventBytes } from '#interns/contract/turn-event.ts'
import { parseJsonOr } from '#platform/core/parse-json.ts'
import { toOperation } from './operation.ts'
import { resolveLinks } from './resolve-links.ts'
import { getCommand, type ToolCall } from './tool-call.ts'

/** Names of the input fields in which agents put the files and addresses of a tool call. */
const pathFields =
  /^(?:(?:abs(?:olute)?|file|dir|directory|folder|notebook|target|source|src|destination|dest|dst|old|new|from|to)_?)?(?:file_?)?paths?$|^(?:file_?name|files?|filePath|notebookPath|absolutePath|relativePath|source|destination|directory|folder)$/i
const addressFields = /^(?:ur[il]s?|href|address|endpoint)$/i
const folderFields = /^(?:cwd|workdir|working_?dir(?:ectory)?)$/i
/** The same for a shell, which has no other field for a folder. */
const shellFolderFields = /^(?:cwd|work_?dir|working_?dir(?:ectory)?|dir|directory|dir_?path|folder)$/i
/** Kinds of tools that work on files. If a call names no file, it is uncertain which rules match. */
const fileOperations = new Set(['edit', 'delete', 'move', 'read'])

/** Longer values are cut, and the action is then `unsure`. Lengths are in UTF-16 units. */
const limits = { listedValues: 100, namedPaths: 2000, pathLength: 4000, commandLength: 64_000 }

/** The action of a tool call, in the form that rules match. */
export function toAction(tool: ToolCall, workspace: string): Action {
  const operation = toOperation(tool)
  const input = parseObject(tool.input)
  const { command: shellCommand, script } = getCommand(tool)
  // A tool that is not a shell can run its `command` argument too, which an `ask` or `deny` can match.
  const command = script ?? shellCommand ?? tool.script ?? tool.command ?? null
  // The paths of a shell command are among its words.
  const inputPaths = shellCommand === undefined ? readTexts(input, pathFields) : []
  const paths = [...new Set([...(tool.paths ?? []), ...(tool.changes ?? []).map(({ path }) => path), ...inputPaths])]
  const hosts = findHosts(operation, input, tool.title)
  const folders = findFolders(tool, workspace)
  const folder = folders.find((each) => each !== workspace)
  const resolvedPaths = paths
    .slice(0, limits.listedValues)
    .map((path) => path.slice(0, limits.pathLength))
    .flatMap((path) => [workspace, ...(folder ? [folder] : [])].flatMap((base) => resolvePaths(workspace, path, base)))
  const action: Action = {
    operation,
    command: command?.slice(0, limits.commandLength) ?? null,
    paths: [...new Set(resolvedPaths)],
    hosts: [...new Set(hosts.slice(0, limits.listedValues).filter((host) => host !== undefined))],
    root: workspace,
    ...(folder && { folder }),
    unsure:
      folders.length > 1 ||
      (folder !== undefined && !isInside(workspace, folder)) ||
      // An unnamed tool of another kind can do more than run the command in its input.
      (shellCommand !== undefined && tool.kind === 'other') ||
      (command?.length ?? 0) > limits.commandLength ||
      arePathsUncertain(operation, paths, workspace) ||
      areHostsUncertain(operation, hosts),
  }
  if (command === null) return action
  const linkedPaths = findLinkedPaths(action)
  if (!linkedPaths) return { ...action, unsure: true }
  return linkedPaths.length > 0 ? { ...action, linked: linkedPaths } : action
}

/** The absolute working folders that the input of a call names. */
export function findFolders(tool: ToolCall, workspace: string): string[] {
  const fields = getCommand(tool).command === undefined ? folderFields : shellFolderFields
  return [...new Set(readTexts(parseObject(tool.input), fields).map((path) => resolve(workspace, path)))]
}

/** Half of an event, less its other fields. Its other half is left for the question. */
const maxReportedBytes = maxEventBytes / 2 - 1024
/** The length of a cut command, which fits also if JSON escapes each of its characters. */
const cutCommandLength = 32_000

/** The part of an action that the server accepts. An action that is not complete is `unsure`. */
export function toReportedAction(action: Action): Action {
  const { linked, hosts } = action
  const paths = action.paths.filter(isReportedPath)
  const reported: Action = {
    ...action,
    paths,
    ...(linked && { linked: linked.filter(isReportedPath) }),
    hosts: hosts.filter(({ length }) => length <= actionLimits.host),
  }
  const isComplete =
    paths.length === action.paths.length &&
    reported.linked?.length === linked?.length &&
    reported.hosts.length === hosts.length
  if (Buffer.byteLength(JSON.stringify(reported)) <= maxReportedBytes)
    return isComplete ? action : { ...reported, unsure: true }
  const { linked: _, ...rest } = reported
  return { ...rest, command: rest.command?.slice(0, cutCommandLength) ?? null, paths: [], hosts: [], unsure: true }
}

const isReportedPath = ({ length }: string) => length <= actionLimits.path

/** Returns the hosts of the addresses that a call names; undefined for each that programs could parse differently. */
function findHosts(operation: string | null, input: object | undefined, title = ''): (string | undefined)[] {
  const inputAddresses = readTexts(input, addressFields)
  const addresses =
    operation === 'fetch' && inputAddresses.length === 0 ? (title.match(/https?:\S+/g) ?? []) : inputAddresses
  return addresses.map((address) => parseHost(address))
}

const isInside = (workspace: string, folder: string) =>
  !resolveFromRoot(workspace, folder).startsWith('/') &&
  !resolveFromRoot(resolveLinks(workspace), resolveLinks(folder)).startsWith('/')

const arePathsUncertain = (operation: string | null, paths: string[], workspace: string) =>
  (operation !== null && fileOperations.has(operation) && paths.length === 0) ||
  paths.length > limits.listedValues ||
  paths.some(
    (path) => /^~|[\0\n]/.test(path) || path.length > limits.pathLength || absolutePath(workspace, path) === undefined,
  )

const areHostsUncertain = (operation: string | null, hosts: (string | undefined)[]) =>
  (operation === 'fetch' && hosts.length === 0) || hosts.length > limits.listedValues || hosts.includes(undefined)

/** Returns a path in `folder` as written, and as the current symbolic links resolve it; both relative to the workspace. */
function resolvePaths(workspace: string, path: string, folder: string): string[] {
  const resolved = absolutePath(folder, path) ?? join(folder, path)
  return [resolveFromRoot(workspace, resolved), resolveFromRoot(resolveLinks(workspace), resolveLinks(resolved))]
}

/** Returns the resolved paths of a command's arguments that are symbolic links; undefined if there are too many. */
function findLinkedPaths(action: Action): string[] | undefined {
  const namedPaths = new Set(listPossiblePaths(action))
  if (namedPaths.size > limits.namedPaths) return undefined
  const root = resolveLinks(action.root)
  const linkedPaths = new Set<string>()
  for (const path of namedPaths) {
    const resolved = resolveFromRoot(root, resolveLinks(path))
    if (resolved !== resolveFromRoot(action.root, path)) linkedPaths.add(resolved)
  }
  return linkedPaths.size > limits.listedValues ? undefined : [...linkedPaths]
}

/** Returns an absolute path, also of a `file://` URL; undefined for an invalid one. */
function absolutePath(workspace: string, path: string): string | undefined {
  if (!path.startsWith('file://')) return path.startsWith('/') ? path : `${workspace}/${path}`
  try {
    return decodeURIComponent(new URL(path).pathname)
  } catch {
    return undefined
  }
}

function readTexts(input: object | undefined, names: RegExp): string[] {
  return Object.entries(input ?? {}).flatMap(([name, value]) => {
    if (!names.test(name)) return []
    return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one !== '') as string[]
  })
}

function parseObject(text: string | undefined): object | undefined {
  if (!text?.startsWith('{')) return undefined
  return parseJsonOr(text, undefined) as object | undefined
}
