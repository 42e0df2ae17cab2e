import { z } from '../../json/schema.ts'
import { urlSetting } from '../setting-values.ts'

/** The mail server for notifications, invitations and sign-in links. */
export const mailSettings = {
  smtp_url: urlSetting(
    /^smtps?:\/\/[^\s/?#]+\/?$/,
    'must be the address of a mail server, such as smtps://user:password@smtp.example.com:465',
  )
    .optional()
    .describe(
      'The mail server: `smtps://` uses TLS from the start, `smtp://` uses STARTTLS where the server offers it. Without it no email is sent.',
    ),
  smtp_from: z
    .string()
    .max(320)
    .regex(
      /^([^\s<>@,]+@[^\s<>@,]+|[^<>\r\n]*<[^\s<>@,]+@[^\s<>@,]+>)$/,
      'must be one address, such as signalbox@example.com or Signalbox <signalbox@example.com>',
    )
    .optional()
    .describe('The sender of emails, such as `Signalbox <signalbox@example.com>`. Required with `smtp_url`.'),
}
