/** Made from the x-skills of the contract by `npm run generate`. */
import type { AwardBidInput, AwardBidResult, DetectOverCommittedBudgetsInput, DetectOverCommittedBudgetsResult, SuggestVendorsForScopeInput, SuggestVendorsForScopeResult } from './contract.gen.ts'

export interface CompositeSkills {
  /** Award a bid. Needs bids:read, bids:write. */
  awardBid: { input: AwardBidInput; result: AwardBidResult }
  /** Suggest vendors for a scope. Needs vendors:read, bids:read. */
  suggestVendorsForScope: { input: SuggestVendorsForScopeInput; result: SuggestVendorsForScopeResult }
  /** Find over-committed budgets. Needs homes:read. */
  detectOverCommittedBudgets: { input: DetectOverCommittedBudgetsInput; result: DetectOverCommittedBudgetsResult }
}
