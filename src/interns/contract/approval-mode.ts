/** `manual` asks the caller before an operation that needs permission; `self-drive` allows it without asking. */
export const approvalModes = ['manual', 'self-drive'] as const
export type ApprovalMode = (typeof approvalModes)[number]
