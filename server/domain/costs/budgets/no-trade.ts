/** The scope under which something without a trade is budgeted. */
export const NO_TRADE = 'unassigned'
