import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/**
 * Whether a command is installed: an executable file of its name in a folder of `path`, or at its absolute path. A relative path
 * counts as installed, because its folder is unknown.
 */
export function isInstalled(command: string, path = ''): boolean {
  if (isAbsolute(command)) return isExecutable(command)
  if (command.includes('/')) return true
  return path.split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, command)))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
