/** The trade of budget lines without a trade. */
export const NO_TRADE = 'unassigned'
