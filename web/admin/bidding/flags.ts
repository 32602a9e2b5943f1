import type { BidFlag } from '../../../client/contract.gen.ts'
import type { Tone } from '../../ui/looks.ts'

/** What speaks against a bid, in words; what forbids the award is bad, the rest is to be known before it. */
export const FLAGS: Record<BidFlag, { word: string; tone: Tone }> = {
  vendor_archived: { word: 'is archived', tone: 'bad' },
  vendor_on_hold: { word: 'is on hold', tone: 'bad' },
  vendor_inactive: { word: 'is inactive', tone: 'bad' },
  compliance_expired: { word: 'has expired papers', tone: 'bad' },
  compliance_expiring: { word: 'has papers that expire soon', tone: 'warn' },
  compliance_missing: { word: 'has not handed in all papers', tone: 'warn' },
  over_budget: { word: 'is above the budget', tone: 'warn' },
  lines_missing: { word: 'has not priced every line', tone: 'warn' },
  lines_excluded: { word: 'leaves out a required line', tone: 'warn' },
  late: { word: 'came after the deadline', tone: 'warn' },
  validity_past: { word: 'is no longer valid', tone: 'warn' },
}
