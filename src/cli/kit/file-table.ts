import { escapeUnambiguously } from '#platform/text/printable.ts'
import { formatSecond } from './format.ts'
import { table } from './table.ts'

/** A file or folder of a workspace, as the API lists it. */
export type ListedFile = { name: string; kind: string; size: number; modified_at: string; target: string | null }

export function fileTable(entries: ListedFile[]): string {
  const rows = entries.map(({ name, kind, size, modified_at, target }) => [
    kind === 'folder' ? '-' : String(size),
    formatSecond(modified_at),
    nameText(name, kind, target),
  ])
  return table(['BYTES', 'CHANGED (UTC)', 'NAME'], rows)
}

function nameText(name: string, kind: string, target: string | null): string {
  if (kind === 'folder') return `${escapeUnambiguously(name)}/`
  return target === null ? escapeUnambiguously(name) : `${escapeUnambiguously(name)} -> ${escapeUnambiguously(target)}`
}
