import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { hostConnectionToken } from '#interns/remote/connect-runs.ts'
import type { Config } from '#platform/config/settings.ts'
import { withoutInheritedFiles } from '#platform/process/inherited-files.ts'
import { createMark, markerVariable } from '#platform/process/process-marker.ts'
import { lowerPriority } from '#platform/process/process-priority.ts'
import { prepareFolders } from '../host/home/intern-home.ts'
import { prlimitCommand } from '../host/resource-limits.ts'
import { internNiceness, programs } from './programs.ts'

type FilesProcessDeps = {
  config: Config
  home: string
  /** Finds the user that the intern runs as; undefined for the user of this process. */
  findUid: () => Promise<number | undefined>
  path: string
  /** Called before a process starts, which serves one request. @throws Refusal if too many run. */
  onStarting: () => void
  onStarted: (child: ChildProcess) => void
}

/**
 * A connection to the files and transcripts of an intern whose daemon does not run. Each request gets a separate process with the
 * intern's user, which has only this connection.
 */
export async function startFilesProcess({
  config,
  home,
  findUid,
  path,
  onStarting,
  onStarted,
}: FilesProcessDeps): Promise<Socket> {
  const uid = await findUid()
  prepareFolders(home, uid)
  onStarting()
  const settings = JSON.stringify({
    token: hostConnectionToken,
    workspace: join(home, 'workspace'),
    state: join(home, 'state'),
    limits: { maxUploadBytes: config.intern_upload_bytes, maxDiskBytes: config.intern_disk_bytes },
  })
  const command = [...prlimitCommand(config, uid), process.execPath, programs.files, settings]
  const child = spawn(command[0]!, command.slice(1), {
    cwd: home,
    env: {
      PATH: path,
      HOME: home,
      ...(uid !== undefined && { NODE_COMPILE_CACHE: join(home, 'state', 'compiled') }),
      [markerVariable]: createMark(join(home, 'workspace')),
    },
    detached: true,
    stdio: withoutInheritedFiles(['ignore', 'ignore', 'ignore', 'pipe']),
    ...(uid !== undefined && { uid, gid: uid }),
  })
  onStarted(child)
  // Without free file descriptors the pipe is missing; the `error` event follows.
  const socket = child.stdio?.[3] as Socket | undefined
  child.once('error', () => socket?.destroy())
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(new Error(`The stored files of the intern cannot be read: ${error.message}`)))
  })
  void lowerPriority(child.pid!, internNiceness)
  return socket!
}
