import type { BidFlag } from '../../../client/contract.gen.ts'
import type { Tone } from '../../ui/status-styles.ts'

/**
 * The concerns about a bid in words. Concerns with the tone `bad` prevent the award. The others only need attention.
 */
export const BID_FLAGS: Record<BidFlag, { word: string; tone: Tone }> = {
  vendor_archived: { word: 'is archived', tone: 'bad' },
  vendor_on_hold: { word: 'is on hold', tone: 'bad' },
  vendor_inactive: { word: 'is inactive', tone: 'bad' },
  compliance_expired: { word: 'has expired compliance documents', tone: 'bad' },
  compliance_expiring: { word: 'has compliance documents that expire soon', tone: 'warn' },
  compliance_missing: { word: 'has missing compliance documents', tone: 'warn' },
  over_budget: { word: 'is above budget', tone: 'warn' },
  lines_missing: { word: 'has not priced every line', tone: 'warn' },
  lines_excluded: { word: 'has excluded a required line', tone: 'warn' },
  quantity_differs: { word: 'has priced another quantity', tone: 'warn' },
  unit_differs: { word: 'has priced another unit', tone: 'warn' },
  part_of_homes: { word: 'has not bid on every home', tone: 'warn' },
  alternate: { word: 'offers an alternate', tone: 'warn' },
  exclusions: { word: 'excludes work from its price', tone: 'warn' },
  late: { word: 'bid after the deadline', tone: 'warn' },
  validity_past: { word: 'has a bid that is no longer valid', tone: 'warn' },
}
