import { createServer } from 'node:net'
import { join } from 'node:path'
import type { DaemonCertificates } from '#interns/remote/daemon-certificates.ts'
import { hourMs } from '#platform/core/clock.ts'
import { replaceServiceFile } from '../host/home/owned-files.ts'

/** The address and ports of this host on which daemons listen for servers on other hosts. */
export type TcpListeners = {
  listen: string
  ports: string
  certificates: Pick<DaemonCertificates, 'forDaemon' | 'forStorage'>
}

const maxAttempts = 50
/** Certificates are valid for a day, so that several renewals can fail. */
export const renewCertificatesEveryMs = 6 * hourMs

const certificateFiles = (home: string) => ({
  certificate: join(home, 'certificate.pem'),
  key: join(home, 'certificate-key.pem'),
  authorities: join(home, 'authorities.pem'),
})

/** The `listen` of a daemon's settings, with the files that it names. @throws Error if no port is free. */
export async function prepareListener(
  listeners: TcpListeners,
  intern: { id: string; home: string; uid: number | undefined },
) {
  const port = await findFreePort(listeners)
  await writeCertificates(listeners, intern)
  return { host: listeners.listen, port, tls: certificateFiles(intern.home) }
}

/** Writes new certificates, which a running daemon reloads. */
export async function writeCertificates(
  { certificates }: Pick<TcpListeners, 'certificates'>,
  { id, home, uid }: { id: string; home: string; uid: number | undefined },
): Promise<void> {
  const { certificate, key, caCertificates } = await certificates.forDaemon(id)
  const files = certificateFiles(home)
  replaceServiceFile(files.key, key, uid)
  replaceServiceFile(files.certificate, certificate, uid)
  replaceServiceFile(files.authorities, caCertificates, uid)
}

/** A random free port, so that interns that start at the same time rarely choose the same. */
export async function findFreePort({ listen, ports }: Pick<TcpListeners, 'listen' | 'ports'>): Promise<number> {
  const [first, last] = ports.split('-').map(Number) as [number, number]
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const port = first + Math.floor(Math.random() * (last - first + 1))
    const error = await probeListen(listen, port)
    if (!error) return port
    if (error.code !== 'EADDRINUSE')
      throw new Error(`Interns cannot listen on ${listen} (setting intern_listen or intern_address): ${error.message}`)
  }
  throw new Error(`No port of ${ports} is free for the intern (setting intern_ports).`)
}

function probeListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}
