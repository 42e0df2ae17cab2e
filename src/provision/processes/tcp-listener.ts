import { createServer } from 'node:net'
import { join } from 'node:path'
import type { DaemonCertificates } from '#interns/remote/daemon-certificates.ts'
import { writeWhole } from '../host/intern-home.ts'

/** On which address and ports of this host interns' daemons listen for servers on other hosts. */
export type TcpListeners = {
  listen: string
  ports: string
  certificates: Pick<DaemonCertificates, 'forDaemon' | 'forKept'>
}

const tries = 50
/** Certificates hold for a day: one try may fail, and the next ones. */
export const renewCertificatesEveryMs = 6 * 3_600_000

const filesOf = (home: string) => ({
  certificate: join(home, 'certificate.pem'),
  key: join(home, 'certificate-key.pem'),
  authorities: join(home, 'authorities.pem'),
})

/** The `listen` of a daemon's settings, with the files that it names. @throws Error when there is no port to be had. */
export async function prepareListener(
  listeners: TcpListeners,
  intern: { id: string; home: string; uid: number | undefined },
) {
  const port = await freePort(listeners)
  await writeCertificates(listeners, intern)
  return { host: listeners.listen, port, tls: filesOf(intern.home) }
}

/** Makes new certificates, which a daemon that runs takes up by itself. */
export async function writeCertificates(
  { certificates }: Pick<TcpListeners, 'certificates'>,
  { id, home, uid }: { id: string; home: string; uid: number | undefined },
): Promise<void> {
  const { certificate, key, authorities } = await certificates.forDaemon(id)
  const files = filesOf(home)
  writeWhole(files.key, key, uid)
  writeWhole(files.certificate, certificate, uid)
  writeWhole(files.authorities, authorities, uid)
}

/** Chosen by chance, so that interns that start at once hardly ever want the same. */
export async function freePort({ listen, ports }: Pick<TcpListeners, 'listen' | 'ports'>): Promise<number> {
  const [first, last] = ports.split('-').map(Number) as [number, number]
  for (let attempt = 0; attempt < tries; attempt++) {
    const port = first + Math.floor(Math.random() * (last - first + 1))
    const refused = await listens(listen, port)
    if (!refused) return port
    if (refused.code !== 'EADDRINUSE')
      throw new Error(
        `Interns cannot listen on ${listen} (setting intern_listen or intern_address): ${refused.message}`,
      )
  }
  throw new Error(`No port of ${ports} is free for the intern (setting intern_ports).`)
}

function listens(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}
