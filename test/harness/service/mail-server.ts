import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { until } from '../until.ts'

/** `helloName` is the name with which the client introduced itself. */
type ReceivedMail = { to: string[]; content: string; helloName: string }

/** A real SMTP server without TLS. `refusals` is the number of messages that it refuses at first. */
export async function startMailServer({ refusals = 0 } = {}) {
  const received: ReceivedMail[] = []
  let refused = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece) => pieces.push(piece))
      stream.on('end', () => {
        if (refused++ < refusals) return done(Object.assign(new Error('Try again later'), { responseCode: 451 }))
        const to = session.envelope.rcptTo.map(({ address }) => address)
        // Joins the lines that quoted-printable encoding splits.
        const helloName = session.hostNameAppearsAs
        received.push({
          to,
          helloName,
          content: Buffer.concat(pieces).toString().replaceAll('=\r\n', '').replaceAll('=3D', '='),
        })
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    settings: { smtp_url: `smtp://127.0.0.1:${port}`, smtp_from: 'Signalbox <signalbox@example.com>' },
    received,
    /** Waits for the first message with a text. */
    waitFor: (text: string) => until(() => received.find(({ content }) => content.includes(text)) ?? false),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
