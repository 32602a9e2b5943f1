import { Link } from 'react-router'
import type { VendorPassedOver } from '../../../client/contract.gen.ts'
import { useReadSkill } from '../../api/use-skill.ts'
import { Status } from '../../ui/badge.tsx'
import { ChangeError, EmptyState, SkeletonLines } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'

/** The reason why a vendor is not suggested, and whether the vendor can be invited anyway. */
const REASON_TEXTS: Record<VendorPassedOver['reason'], { word: string; canBeAsked: boolean }> = {
  prospective: { word: 'prospective', canBeAsked: true },
  compliance_missing: { word: 'compliance documents missing', canBeAsked: true },
  po_limit_reached: { word: 'open order limit reached', canBeAsked: true },
  on_hold: { word: 'on hold', canBeAsked: false },
  inactive: { word: 'inactive', canBeAsked: false },
  compliance_expired: { word: 'compliance documents expired', canBeAsked: false },
}

/** Lists the vendors of a trade, best match first. For a vendor that cannot be invited, shows the reason. */
export function VendorChoice(props: {
  scope: string
  communityId: string
  /** The IDs of the vendors that have already been invited. */
  without?: readonly string[]
  chosen: ReadonlySet<string>
  onChange(chosen: ReadonlySet<string>): void
}) {
  const { scope, communityId, without = [], chosen, onChange } = props
  const isAsked = scope !== '' && communityId !== ''
  const found = useReadSkill('suggestVendorsForScope', { scope, communityId, count: 50 }, { enabled: isAsked })
  if (!isAsked) return <p className="muted">Choose a community and a trade to see the vendors that you can invite.</p>
  if (found.error !== null) return <ChangeError error={found.error} />
  if (found.data === undefined) return <SkeletonLines />
  const isNew = ({ vendorId }: { vendorId: string }) => !without.includes(vendorId)
  const suggested = found.data.result.vendors.filter(isNew)
  const passedOver = found.data.result.passedOver.filter(isNew)
  const others = passedOver.filter(({ reason }) => REASON_TEXTS[reason].canBeAsked)
  const blocked = passedOver.filter(({ reason }) => !REASON_TEXTS[reason].canBeAsked)
  const toggle = (vendorId: string) => {
    const after = new Set(chosen)
    if (!after.delete(vendorId)) after.add(vendorId)
    onChange(after)
  }
  return (
    <>
      {suggested.length + others.length === 0 ? (
        <EmptyState
          icon="vendors"
          title={without.length > 0 ? 'No more vendors to invite' : `No vendors to invite for ${scope}`}
        >
          Add this trade to a vendor, or add a new vendor.
        </EmptyState>
      ) : (
        <ul className="line-list choices">
          {suggested.map((vendor) => (
            <VendorOption
              key={vendor.vendorId}
              vendor={vendor}
              note={`score ${Math.round(vendor.score)}`}
              {...{ chosen, toggle }}
            >
              <Status of="compliance" is={vendor.complianceStatus} bare />
            </VendorOption>
          ))}
          {others.map((vendor) => (
            <VendorOption
              key={vendor.vendorId}
              vendor={vendor}
              note={REASON_TEXTS[vendor.reason].word}
              {...{ chosen, toggle }}
            />
          ))}
        </ul>
      )}
      {blocked.length > 0 && (
        <details className="small">
          <summary>{formatCount(blocked.length, 'vendor')} for this trade cannot be invited now</summary>
          <ul>
            {blocked.map(({ vendorId, companyName, reason }) => (
              <li key={vendorId}>
                <Link to={`/vendors/${vendorId}`}>{companyName}</Link>: {REASON_TEXTS[reason].word}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

function VendorOption(props: {
  vendor: { vendorId: string; companyName: string }
  note: string
  chosen: ReadonlySet<string>
  toggle(vendorId: string): void
  children?: React.ReactNode
}) {
  const { vendor, note, chosen, toggle, children } = props
  return (
    <li>
      <label className="check">
        <input type="checkbox" checked={chosen.has(vendor.vendorId)} onChange={() => toggle(vendor.vendorId)} />
        <span className="what">
          <b>{vendor.companyName}</b>
          <span>{note}</span>
        </span>
      </label>
      <span className="push">{children}</span>
    </li>
  )
}
