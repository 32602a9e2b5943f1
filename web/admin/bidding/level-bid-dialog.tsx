import type { BidComparison, BidComparisonVendor, BidGapReason } from '../../../client/contract.gen.ts'
import { formatTypedNumber } from '../../../server/platform/values/typed-number.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Field, readNumberField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

const REASONS: Record<BidGapReason, string> = {
  missing: 'not priced',
  excluded: 'excluded by the vendor',
  alternate: 'priced with an alternate',
  unit_differs: 'priced in another unit',
  exclusions: 'not included in the price',
}

/**
 * The name of the field for exclusions, which have no line ID. It cannot equal a line ID, because line IDs contain no
 * dot.
 */
const EXCLUSIONS = 'bid.exclusions'

/** Lets the builder set its own amount for each part of a bid that cannot be compared. */
export function LevelBidDialog(props: { comparison: BidComparison; vendor: BidComparisonVendor; onClose(): void }) {
  const { comparison, vendor, onClose } = props
  const { symbol } = useFormats()
  const level = plumbline.useMutation('post', '/api/ext/bids/{bidId}/leveling', {
    onSuccess: () => {
      showToast(`Bid from ${vendor.companyName} leveled`)
      onClose()
    },
  })
  const parts = listParts(comparison, vendor)
  const onSubmit = (data: FormData) => {
    const amounts = parts.flatMap(({ lineId }) => {
      const amount = readNumberField(data, lineId ?? EXCLUSIONS)
      return amount === undefined ? [] : [{ lineId, amount }]
    })
    level.mutate({ params: { path: { bidId: vendor.bidId ?? '' } }, body: { amounts } })
  }
  return (
    <FormDialog
      title={`Level bid from ${vendor.companyName}`}
      note="Enter what each part would cost you. The vendor does not see these amounts."
      word="Level bid"
      change={level}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {parts.map(({ lineId, label, hint, amount }) => (
        <Field key={lineId ?? EXCLUSIONS} name={lineId ?? EXCLUSIONS} label={label} hint={hint} optional>
          {(control) => (
            <div className="input money">
              <span className="affix">{symbol}</span>
              <input
                {...control}
                inputMode="decimal"
                autoComplete="off"
                defaultValue={amount === undefined ? '' : formatTypedNumber(amount)}
              />
            </div>
          )}
        </Field>
      ))}
    </FormDialog>
  )
}

/** Returns whether a bid has parts to level or leveling amounts to change. */
export function canLevelBid({ bidStatus, gaps, leveling }: BidComparisonVendor): boolean {
  return (bidStatus === 'submitted' || bidStatus === 'accepted') && gaps.length + leveling.length > 0
}

interface LevelPart {
  lineId: string | null
  label: string
  hint: string
  amount: number | undefined
}

function listParts(comparison: BidComparison, vendor: BidComparisonVendor): LevelPart[] {
  const amounts = new Map(vendor.leveling.map(({ lineId, amount }) => [lineId, amount]))
  const reasons = new Map(vendor.gaps.map(({ lineId, reason }) => [lineId, reason]))
  const lines = comparison.lines.flatMap(({ lineId, description, quantity, unit }) => {
    const reason = reasons.get(lineId)
    if (reason === undefined && !amounts.has(lineId)) return []
    const asked = `for ${formatQuantity(quantity)} ${unit}`
    const hint = reason === undefined ? asked : `${asked}; ${REASONS[reason]}`
    return [{ lineId, label: description, hint, amount: amounts.get(lineId) }]
  })
  if (!reasons.has(null) && !amounts.has(null)) return lines
  const label = `Exclusions: ${vendor.exclusions ?? ''}`
  return [...lines, { lineId: null, label, hint: '0 if this work adds no cost', amount: amounts.get(null) }]
}
