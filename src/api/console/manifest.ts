import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a bundle holds. Files are named by their content. */
export type Manifest = {
  /** The script that starts it all, and those that it needs at once. */
  main: string
  with: string[]
  style: string
  icon: string
  /** What each screen needs besides. */
  screens: Record<string, string[]>
  /** The screens in the order of the navigation, what each asks the API first, and to whom alone it is offered. */
  places: { name: string; title: string; early?: string; offeredTo?: string[] }[]
  /** All that may be asked for. */
  files: string[]
}

export const manifestName = 'manifest.json'

/** @returns undefined where there is no whole bundle: the manifest is written last. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(join(folder, manifestName), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : (JSON.parse(text) as Manifest)
}
