/** The trade of budget lines and postings without a trade. */
export const NO_TRADE = 'unassigned'
