import * as z from 'zod'
import { issueMessage } from './issue-messages.ts'

z.config({ customError: (issue) => issueMessage(issue, z.util.parsedType) })

/** Zod with the error messages of this service. */
export { z }
