import { existsSync } from 'node:fs'
import { isAbsolute, relative } from 'node:path'
import { etcPaths, systemFolders } from '../sandbox/sandbox-contents.ts'
import type { RunLocation } from './connect-server.ts'
import type { McpServerSpec } from './server-spec.ts'

/** Returns advice for a server whose program, or a file named in its arguments, is not visible in the sandbox; otherwise ''. */
export function createHiddenPathHint(
  spec: McpServerSpec,
  { shell, workspace }: Pick<RunLocation, 'shell' | 'workspace'>,
): string {
  if (spec.type !== 'stdio') return ''
  const visible = ['/usr', ...systemFolders, ...etcPaths, workspace, ...shell.readable, ...spec.readable]
  const hidden = [spec.command, ...spec.args].find(
    (path) => isAbsolute(path) && existsSync(path) && !visible.some((folder) => isWithin(folder, path)),
  )
  if (hidden === undefined) return ''
  return ` The sandbox does not show ${hidden} to the server: add its folder to "readable" of this server.`
}

function isWithin(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return !below.startsWith('..') && !isAbsolute(below)
}
