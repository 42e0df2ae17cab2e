/** What an address holds besides its host is often a secret of whoever made it. */
export const managers = ['owner', 'admin']
