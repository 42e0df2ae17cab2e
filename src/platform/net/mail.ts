import { hostname } from 'node:os'
import type { Config } from '../config/settings.ts'
import { lazyModules } from '../process/lazy-modules.ts'

export type MailSettings = Pick<Config, 'smtp_url' | 'smtp_from'>
type Mail = { to: string; subject: string; text: string; id?: string }

const timeoutMs = 15_000

/** Whether emails can be sent. */
export const canSendMail = ({ smtp_url, smtp_from }: MailSettings): boolean =>
  smtp_url !== undefined && smtp_from !== undefined

/** Sends an email. @throws Error if the mail server is unreachable or refuses it, or no mail server is configured. */
export async function sendMail({ smtp_url, smtp_from }: MailSettings, { to, subject, text, id }: Mail): Promise<void> {
  if (smtp_url === undefined || smtp_from === undefined) throw new Error('no mail server is configured ("smtp_url")')
  const senderDomain = /@([\w.-]+)/.exec(smtp_from)?.[1] ?? 'localhost'
  const transport = lazyModules.nodemailer().createTransport({
    url: smtp_url,
    // For a host name without a domain, as in containers, the library would send `[127.0.0.1]`, which strict mail servers refuse.
    ...(!hostname().includes('.') && { name: senderDomain }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    // The same ID for each attempt lets mail servers recognise repeated deliveries.
    await transport.sendMail({
      from: smtp_from,
      to,
      subject,
      text,
      ...(id && { messageId: `<${id}@${senderDomain}>` }),
    })
  } finally {
    transport.close()
  }
}
