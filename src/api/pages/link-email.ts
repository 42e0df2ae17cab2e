import { canSendMail, type MailSettings, sendMail } from '#platform/net/mail.ts'
import type { Log } from '#platform/process/log.ts'

/** Sends a sign-in link by email, if a mail server is configured. @returns whether the mail server accepted it. */
export async function emailLink(
  { config, log }: { config: MailSettings; log: Pick<Log, 'warn'> },
  to: string,
  url: string,
): Promise<boolean> {
  if (!canSendMail(config)) return false
  const text = `Open this link to sign in to Signalbox. It is valid once, for 15 minutes:\n\n${url}\n\nIf you did not expect it, ignore this email.\n`
  try {
    await sendMail(config, { to, subject: 'Your sign-in link for Signalbox', text })
    return true
  } catch (error) {
    log.warn({ err: error }, 'a sign-in link could not be sent by email')
    return false
  }
}
