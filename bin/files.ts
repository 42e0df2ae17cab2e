import { enableCompileCache } from 'node:module'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)))
const { createHttpServer } = await import('#daemon/server/http-server.ts')
const { createStoppedInternApi, readFilesSettings } = await import('#daemon/files/stopped-intern.ts')
const { stderrLog } = await import('#daemon/log.ts')

// Serves the files of a stopped intern on one connection, the file descriptor 3.
process.umask(0o077)
const socket = new Socket({ fd: 3 })
const server = createHttpServer({
  ...createStoppedInternApi(readFilesSettings(process.argv[2] ?? ''), Date.now),
  log: stderrLog,
})
socket.once('close', () => process.exit(0))
server.emit('connection', socket)
