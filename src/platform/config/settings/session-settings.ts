import { z } from '../../json/schema.ts'

/** The duration of browser sessions. */
export const sessionSettings = {
  session_idle_minutes: z.coerce
    .number()
    .int()
    .min(5)
    .max(43_200)
    .default(480)
    .describe('The number of minutes without a request after which a browser is signed out.'),
  session_hours: z.coerce
    .number()
    .int()
    .min(1)
    .max(8760)
    .default(168)
    .describe('The number of hours after which a browser is always signed out.'),
}
