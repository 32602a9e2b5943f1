import { useState } from 'react'
import type { PortalInvitation, Vendor } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { copy } from '../../ui/clipboard.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Refused } from '../../ui/states.tsx'

/** Makes the address of a vendor's whole portal, which is shown once. */
export function PortalLink({ vendor, onClose }: { vendor: Vendor; onClose(): void }) {
  const { wholeDay, dateOf } = useFormats()
  const [made, setMade] = useState<PortalInvitation | null>(null)
  const invite = plumbline.useMutation('post', '/api/ext/vendors/{vendorId}/invite', { gcTime: 0, onSuccess: setMade })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Portal of ${vendor.companyName}`}
      tail={
        <>
          <span className="push" />
          <Button onClick={onClose}>{made === null ? 'Cancel' : 'Done'}</Button>
          {made === null && (
            <Button
              look="primary"
              busy={invite.isPending}
              onClick={() => invite.mutate({ params: { path: { vendorId: vendor.id } } })}
            >
              Make the link
            </Button>
          )}
        </>
      }
    >
      <Refused error={invite.error} />
      {made?.portalUrl === undefined || made.portalUrl === null ? (
        <p className="muted">
          The vendor gets a link to its orders, dates, papers and payments, without an account. Whoever has the link
          acts for the vendor.{' '}
          {vendor.portalStatus !== 'not_invited' && 'The link before it opens nothing from then on.'}
        </p>
      ) : (
        <div className="secret">
          <h3>This link is shown once</h3>
          <div className="value">
            <code>{made.portalUrl}</code>
            <Button small look="primary" icon="copy" onClick={() => void copy(made.portalUrl ?? '', 'The link')}>
              Copy
            </Button>
          </div>
          <p className="small muted">
            Pass it to {vendor.companyName} only. It opens until {wholeDay(dateOf(made.expiresAt))}.
          </p>
        </div>
      )}
    </Dialog>
  )
}
