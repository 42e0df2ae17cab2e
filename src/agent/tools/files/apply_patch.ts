import { locateTarget } from '#platform/files/confined-folder.ts'
import { withFilePath } from '#platform/files/file-error.ts'
import { z } from '#platform/json/schema.ts'
import { applyHunks } from '../../patch/apply-hunks.ts'
import { type FilePatch, parsePatch } from '../../patch/parse-patch.ts'
import { toSections } from '../../patch/unified-diff.ts'
import { defineTool } from '../tool.ts'
import { withSuggestions } from './similar-files.ts'
import { decodeExactText } from './text.ts'
import { changeMode, isFile, readBytes, removeFile, type Workspace, writeText } from './workspace.ts'

const maxBytes = 10 * 1024 * 1024

/**
 * A file before and after the patch; null if it does not exist. `mode`: the permissions of the existing or moved file.
 * `isExecutable`: undefined if the patch does not set it.
 */
type Change = {
  path: string
  before: string | null
  after: string | null
  mode?: number
  isExecutable?: boolean | undefined
  notes?: string[]
}

export const applyPatch = defineTool({
  name: 'apply_patch',
  description: [
    'Change several files at once. If one change fails, no file is changed. The patch has a section for each file:',
    '"*** Update File: path" with hunks, "*** Add File: path" with "+" before every line, or "*** Delete File: path".',
    '"*** Move to: path" directly below an update renames the file. A hunk starts with "@@". If its lines occur more than',
    'once in the file, it starts with "@@ a line above it". Each line of a hunk starts with " " (unchanged), "-" (removed)',
    'or "+" (added). Include three unchanged lines before and after each change, exactly as they are in the file. Line',
    'numbers are not needed.',
  ].join(' '),
  kind: 'edit',
  runsAlone: true,
  input: z.object({ patch: z.string().min(1).describe('The whole patch.') }),
  title: ({ patch }) => `Patch ${readPaths(patch).join(', ')}`,
  paths: ({ patch }) => readPaths(patch),
  async run({ patch }, { workspace }) {
    const changes: Change[] = []
    const errors: string[] = []
    // Computes all changes before anything is written, and reports all errors at once.
    for (const file of parsePatch(patch)) {
      await computeChanges(workspace, file).then(
        (found) => changes.push(...found),
        (error: Error) => errors.push(error.message),
      )
    }
    if (errors.length === 0) errors.push(...(await findRepeatedFiles(workspace, changes)))
    if (errors.length > 0) throw new Error(`Nothing was changed. ${errors.join('\n')}`)
    await writeAll(workspace, changes)
    return {
      text: changes.map(describeChange).join('\n'),
      changes: changes.map(({ path, before, after }) => ({ path, before, after: after ?? '' })),
    }
  },
})

function readPaths(patch: string): string[] {
  return [...toSections(patch).matchAll(/^\*\*\* (?:(?:Add|Delete|Update) File|Move to): (.+)$/gm)].map(([, path]) =>
    path!.trim(),
  )
}

async function computeChanges(workspace: Workspace, file: FilePatch): Promise<Change[]> {
  const { path } = file
  const exists = await isFile(workspace, path)
  if (file.kind === 'add') {
    if (exists) throw new Error(`${path} already exists: update it instead.`)
    return [{ path, before: null, after: file.text, isExecutable: file.isExecutable }]
  }
  const { text: before, mode } = await readText(workspace, path)
  if (file.kind === 'delete') return [{ path, before, after: null, mode }]
  const { text: after, notes } = await withFilePath(path, async () => applyHunks(before, file.hunks))
  const { isExecutable } = file
  if (file.to === undefined) return [{ path, before, after, mode, isExecutable, notes }]
  if (await isFile(workspace, file.to)) throw new Error(`${file.to} already exists, so ${path} cannot be moved there.`)
  return [
    { path: file.to, before: null, after, mode, isExecutable, notes },
    { path, before, after: null, mode },
  ]
}

async function readText(workspace: Workspace, path: string): Promise<{ text: string; mode: number }> {
  const { bytes, size, mode } = await withSuggestions(workspace, path, () => readBytes(workspace, path, maxBytes))
  return withFilePath(path, async () => {
    if (size > maxBytes) throw new Error(`has ${size} bytes, too many to patch`)
    return { text: decodeExactText(bytes), mode }
  })
}

/** Finds files with several changes, also under different paths: each change would discard the one before. */
async function findRepeatedFiles(workspace: Workspace, changes: Change[]): Promise<string[]> {
  const files = await Promise.all(changes.map(({ path }) => locateTarget(workspace, path).catch(() => path)))
  const repeated = changes.filter((_, index) => files.indexOf(files[index]!) !== index)
  return repeated.map(({ path }) => `The patch has two sections for the file ${path}: put all its changes into one.`)
}

/** Writes all changes. If one fails, restores the files that were written before. */
async function writeAll(workspace: Workspace, changes: Change[]): Promise<void> {
  const applied: Change[] = []
  try {
    for (const change of changes) {
      await writeOrRemove(workspace, change, change.after)
      applied.push(change)
      const { path, isExecutable } = change
      if (isExecutable !== undefined) await changeMode(workspace, path, (mode) => withExecutable(mode, isExecutable))
    }
  } catch (error) {
    for (const change of applied.reverse()) {
      const { path, before, mode } = change
      await writeOrRemove(workspace, change, before)
      if (before !== null && mode !== undefined) await changeMode(workspace, path, () => mode)
    }
    throw new Error(`Nothing was changed. ${(error as Error).message}`)
  }
}

async function writeOrRemove(workspace: Workspace, { path, mode }: Change, text: string | null): Promise<void> {
  if (text === null) await removeFile(workspace, path)
  else await writeText(workspace, path, text, mode)
}

/** Everybody who can read an executable file can execute it, as in git. */
const withExecutable = (mode: number, isExecutable: boolean) =>
  isExecutable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111

function describeChange({ path, before, after, isExecutable, notes = [] }: Change): string {
  const modeText = isExecutable === undefined ? '' : isExecutable ? ' It is executable.' : ' It is not executable.'
  const summary = `${before === null ? 'Made' : after === null ? 'Deleted' : 'Changed'} ${path}.${modeText}`
  return [summary, ...notes].join('\n')
}
