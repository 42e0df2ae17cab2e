import { type MailSettings, sendMail } from '#platform/net/mail.ts'
import { type DeliveryResult, maxErrorLength } from './delivery-queue.ts'
import { toReadableEvent } from './readable-event.ts'

/** An email address. In a `mailto:` URL, `?` starts headers and `#` a fragment. */
const addressPattern = /^[^\s@,;<>"?#]+@[^\s@,;<>"?#]+\.[^\s@,;<>"?#]+$/

/** The recipient of a `mailto:` URL with one address and nothing else; undefined for any other URL. */
export function findRecipient(url: string): string | undefined {
  if (!url.toLowerCase().startsWith('mailto:')) return undefined
  const address = url.slice('mailto:'.length)
  return addressPattern.test(address) ? address : undefined
}

/** Sends an event by email. @returns the SMTP reply code, or the error if the server sent no reply. */
export async function sendEmail(
  settings: MailSettings,
  to: string,
  id: string,
  payload: string,
): Promise<DeliveryResult> {
  const { title, lines } = toReadableEvent(payload)
  try {
    await sendMail(settings, { to, subject: `[Signalbox] ${title}`, text: `${lines.join('\n')}\n`, id })
    // 250 is the SMTP reply code for an accepted message.
    return { status: 250, error: null }
  } catch (error) {
    const { responseCode = null, message } = error as Error & { responseCode?: number }
    return { status: responseCode, error: message.slice(0, maxErrorLength) }
  }
}
