/** Only managers see webhooks: URLs often contain a secret of their creator. */
export const webhookRoles = ['owner', 'admin']
