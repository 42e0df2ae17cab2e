import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProcess, isAlive, type ProcessId } from '#provision/host/processes.ts'
import { endAllOf, removeControlGroup, removeLink } from './cluster/kernel.ts'

const prefix = 'signalbox-kubernetes-'
const ownerFile = 'owner.json'
const tracesFile = 'traces.json'

/** The resources of a cluster on this machine other than processes and files. */
type Traces = {
  links: string[]
  controlGroup: string
  /** Settings of the kernel, by file, as they were before. */
  kernel: [file: string, value: string][]
}

/** A folder for everything that this process creates, so that a later run can remove what a killed run left. */
export function makeOwnFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, prefix))
  writeFileSync(join(folder, ownerFile), JSON.stringify(findProcess(process.pid)))
  return folder
}

/** Written before any of it is made: nothing is forgotten, however the process ends. */
export function noteTraces(folder: string, traces: Traces): void {
  writeFileSync(join(folder, tracesFile), JSON.stringify(traces))
}

/** Ends and removes all that was made with this folder, or with a folder right in it; then the folder. */
export async function removeTraces(folder: string): Promise<void> {
  await endAllOf(folder)
  for (const file of globSync([join(folder, tracesFile), join(folder, '*', tracesFile)])) {
    const { links, controlGroup, kernel }: Traces = JSON.parse(readFileSync(file, 'utf8'))
    await removeControlGroup(controlGroup)
    for (const link of links) removeLink(link)
    for (const [setting, value] of kernel) writeFileSync(setting, value)
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Removes the leftovers of killed runs, and nothing that belongs to a running one. */
export async function removeLeftovers(say: (what: string) => void, parent = tmpdir()): Promise<void> {
  for (const folder of globSync(join(parent, `${prefix}*`))) {
    const owner = ownerOf(folder)
    if (owner === undefined || isAlive(owner)) continue
    say(`Removing what was left in ${folder}.`)
    await removeTraces(folder)
  }
  removeImages()
}

function ownerOf(folder: string): ProcessId | undefined {
  const file = join(folder, ownerFile)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** Images that were being built: their names hold the number of the process that did. */
function removeImages(): void {
  const { stdout } = spawnSync('podman', ['images', '--format', '{{.Repository}}'], { encoding: 'utf8' })
  for (const name of (stdout ?? '').split('\n')) {
    const builder = new RegExp(`^localhost/${prefix}(\\d+)-`).exec(name)?.[1]
    if (builder && !findProcess(Number(builder))) spawnSync('podman', ['rmi', '-f', name], { stdio: 'ignore' })
  }
}
