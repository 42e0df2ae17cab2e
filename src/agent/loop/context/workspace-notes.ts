import { join } from 'node:path'
import { printableLine } from '#platform/text/printable.ts'
import { truncateText } from '#platform/text/truncate.ts'
import { readBytes, readEntries, type Workspace } from '../../tools/files/workspace.ts'

/** Limits of what is read before each prompt, because all of it is part of the context. Texts are limited in characters. */
const limits = {
  /** The root and repositories whose notes are read. */
  folders: 8,
  /** Folders of the root that are searched for a repository. */
  searchedFolders: 100,
  notes: 16_000,
  skills: 40,
  /** Folders that are searched for a skill. */
  searchedSkills: 200,
  description: 300,
  frontMatterBytes: 8_192,
  nameLength: 64,
}
const skillFolders = ['.agents/skills', '.claude/skills']

/**
 * Reads the instructions of the workspace for agents: AGENTS.md of its root and of the repositories in it, and a list of
 * skills. Unreadable files are skipped.
 */
export async function readWorkspaceNotes(workspace: Workspace): Promise<string[]> {
  const folders = await findNoteFolders(workspace)
  const notes = await Promise.all(folders.map((folder) => readAgentsFile(workspace, folder)))
  const skills = (await Promise.all(folders.map((folder) => readSkills(workspace, folder))))
    .flat()
    .slice(0, limits.skills)
  return [...notes.filter((note) => note !== undefined), ...(skills.length > 0 ? [formatSkills(skills)] : [])]
}

/** The root, and the repositories directly in it. */
async function findNoteFolders(workspace: Workspace): Promise<string[]> {
  const entries = await readEntries(workspace, '.').catch(() => [])
  const folders = entries.filter(({ name, kind }) => kind === 'folder' && !name.startsWith('.'))
  const repositories = await Promise.all(
    folders.slice(0, limits.searchedFolders).map(async ({ name }) => {
      const names = await readEntries(workspace, name).catch(() => [])
      return names.some((entry) => entry.name === '.git') ? name : undefined
    }),
  )
  return ['.', ...repositories.filter((name) => name !== undefined)].slice(0, limits.folders)
}

async function readAgentsFile(workspace: Workspace, folder: string): Promise<string | undefined> {
  const path = join(folder, 'AGENTS.md')
  // A character has at most four bytes in UTF-8.
  const found = await readBytes(workspace, path, limits.notes * 4).catch(() => undefined)
  const text = found?.bytes.toString('utf8').trim()
  if (!found || !text) return undefined
  const isWhole = text.length <= limits.notes && found.size <= found.bytes.length
  const shortened = isWhole ? text : `${truncateText(text, limits.notes)}\n[cut: read ${path} for the rest]`
  return `${printableLine(path)} has instructions for its folder on the lines that start with "> ". Your own instructions and the user's messages take precedence:\n${quoteLines(shortened)}`
}

/** Quotes each line, so that no line of a file can pose as part of the prompt. */
const quoteLines = (text: string) => text.replace(/^|\r\n?|[\n\u2028\u2029]/g, (end) => (end === '' ? '> ' : '\n> '))

type Skill = { name: string; description: string; path: string }

async function readSkills(workspace: Workspace, folder: string): Promise<Skill[]> {
  const skills: Skill[] = []
  for (const skillFolder of skillFolders.map((each) => join(folder, each))) {
    const entries = await readEntries(workspace, skillFolder).catch(() => [])
    for (const { name } of entries.filter(({ kind }) => kind === 'folder').slice(0, limits.searchedSkills)) {
      if (skills.length === limits.skills) return skills
      const skill = await readSkill(workspace, join(skillFolder, name, 'SKILL.md'), name)
      if (skill) skills.push(skill)
    }
  }
  return skills
}

/** Reads the name and description in the front matter of a skill. */
async function readSkill(workspace: Workspace, path: string, folder: string): Promise<Skill | undefined> {
  const found = await readBytes(workspace, path, limits.frontMatterBytes).catch(() => undefined)
  // Editors of Windows start a file with a byte order mark.
  const frontMatter = /^\ufeff?---[ \t]*\r?\n(.*?)\r?\n---/s.exec(found?.bytes.toString('utf8') ?? '')?.[1]
  if (frontMatter === undefined) return undefined
  const { name = folder, description } = await parseHeader(frontMatter)
  if (typeof description !== 'string' || typeof name !== 'string') return undefined
  const oneLine = (text: string) => printableLine(text.replace(/\s+/g, ' ').trim())
  return {
    name: truncateText(oneLine(name), limits.nameLength),
    description: truncateText(oneLine(description), limits.description),
    path: printableLine(path),
  }
}

/** Parses the front matter of a skill. Invalid YAML is read line by line: many skills have a colon in an unquoted description. */
async function parseHeader(frontMatter: string): Promise<{ name?: unknown; description?: unknown }> {
  const { parse } = await import('yaml')
  try {
    // Refuses aliases: nested ones can expand a short text of the workspace to gigabytes.
    return parse(frontMatter, { maxAliasCount: 0 }) ?? {}
  } catch {
    const lines = frontMatter.matchAll(/^(name|description):[ \t]+(\S.*)$/gm)
    return Object.fromEntries(lines.map(([, field, value]) => [field, value]))
  }
}

function formatSkills(skills: Skill[]): string {
  const lines = skills.map(({ name, description, path }) => `- ${name}: ${description} (${path})`)
  return `The workspace has skills. Before a task that a skill describes, read its file and follow it:\n${lines.join('\n')}`
}
