import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The files of a bundle. Their names contain a hash of the content. */
export type Manifest = {
  /** The entry script and its static imports. */
  main: string
  mainImports: string[]
  /** The style sheet of all screens, which pages contain. */
  style: string
  icon: string
  /** The additional scripts of each screen. */
  screens: Record<string, string[]>
  /** The first API request of screens whose first rows are in the page. */
  firstRequests: Record<string, string>
  /** The module with which the service renders pages. It is not served. */
  server: string
  /** All files that are served. */
  files: string[]
}

export const manifestName = 'manifest.json'

/** @returns undefined for an incomplete or damaged bundle: the manifest is written last. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as Manifest
  } catch {
    return undefined
  }
}
