import type { FindSpans } from '../span.ts'
import { findAddresses } from './address.ts'
import type { BuiltinSlug } from './builtins.ts'
import { findCards } from './credit-card.ts'
import { findEmails } from './email.ts'
import { findIpAddresses } from './ip-address.ts'
import { findPersonNames } from './names/person-name.ts'
import { findPhones } from './phone.ts'
import { findPromptInjections } from './prompt-injection.ts'
import { findSecrets } from './secrets.ts'
import { findSsns } from './ssn.ts'

/** The finder of each builtin filter. To add a filter, add its file, its slug and label, and a line here. */
export const findBuiltin: Record<BuiltinSlug, FindSpans> = {
  email: findEmails,
  phone: findPhones,
  ssn: findSsns,
  'credit-card': findCards,
  'ip-address': findIpAddresses,
  secrets: findSecrets,
  'person-name': findPersonNames,
  address: findAddresses,
  'regex-prompt-injection': findPromptInjections,
}
