import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Vendor } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useDryRun, useSkill } from '../../api/use-skill.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { ChangeError } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { RecordField } from '../actions/record-field.tsx'

/** Archives a vendor. */
export function ArchiveVendorDialog({ vendor, onClose }: { vendor: Vendor; onClose(): void }) {
  const navigate = useNavigate()
  const change = plumbline.useMutation('delete', '/api/ext/vendors/{vendorId}', {
    onSuccess: () => {
      showToast(`${vendor.companyName} archived`)
      void navigate('/vendors')
    },
  })
  return (
    <FormDialog
      title={`Archive ${vendor.companyName}?`}
      size="narrow"
      word="Archive"
      isDanger
      of={vendor}
      {...{ change, onClose }}
      onSubmit={(_, ifMatch) => change.mutate({ params: { path: { vendorId: vendor.id }, header: ifMatch } })}
    >
      <p>
        The vendor leaves all lists and its portal links stop working. Its orders, bills, and payments stay. This cannot
        be undone.
      </p>
    </FormDialog>
  )
}

/** Revokes the portal links of a vendor. */
export function RevokePortalDialog({ vendor, onClose }: { vendor: Vendor; onClose(): void }) {
  const change = plumbline.useMutation('post', '/api/ext/vendors/{vendorId}/revoke-portal', {
    onSuccess: () => {
      showToast(`Portal links of ${vendor.companyName} revoked`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Revoke the portal links of ${vendor.companyName}?`}
      size="narrow"
      word="Revoke links"
      isDanger
      {...{ change, onClose }}
      onSubmit={() => change.mutate({ params: { path: { vendorId: vendor.id } } })}
    >
      <p>The links stop working immediately. You can invite the vendor again.</p>
    </FormDialog>
  )
}

/** Merges a duplicate into this vendor, after a preview of the records that move. */
export function MergeVendorDialog({ vendor, onClose }: { vendor: Vendor; onClose(): void }) {
  const [mergeId, setMergeId] = useState('')
  const input = { keepId: vendor.id, mergeId }
  const trial = useDryRun('mergeVendors', input, { enabled: mergeId !== '' && mergeId !== vendor.id })
  const { run, ...change } = useSkill('mergeVendors', {
    onSuccess({ result }) {
      showToast(`${result.merged.companyName} merged into ${vendor.companyName}`)
      onClose()
    },
  })
  const preview = mergeId === '' ? undefined : trial.data?.result
  return (
    <FormDialog
      title={`Merge a duplicate into ${vendor.companyName}`}
      word="Merge"
      isDanger
      isDisabled={preview === undefined || trial.isFetching || trial.error !== null}
      {...{ change, onClose }}
      onSubmit={() => run(input)}
    >
      <RecordField
        name="mergeId"
        label="Duplicate"
        hint="The duplicate is archived, and its records move to this vendor."
        list={{ path: '/api/ext/vendors', searches: true }}
        value={mergeId === '' ? [] : [mergeId]}
        onChange={([id = '']) => setMergeId(id)}
      />
      {mergeId !== '' && <ChangeError error={trial.error} />}
      {preview !== undefined && (
        <div className="stack" aria-live="polite">
          <p>
            <strong>{preview.merged.companyName}</strong> will be archived.{' '}
            {preview.moved.length === 0
              ? 'It has no records to move.'
              : `These records move: ${preview.moved.map(describeCount).join(', ')}.`}
          </p>
          {preview.stayed.length > 0 && <p>These records stay: {preview.stayed.map(describeCount).join(', ')}.</p>}
          {preview.archivedPrices > 0 && <p>{formatCount(preview.archivedPrices, 'double price')} will be archived.</p>}
          {preview.warnings.map((warning) => (
            <p key={warning} className="tone-warn">
              {warning}
            </p>
          ))}
          <p className="muted">This is a preview. Nothing has been changed yet.</p>
        </div>
      )}
    </FormDialog>
  )
}

function describeCount({ kind, count }: { kind: string; count: number }): string {
  return formatCount(count, kind === 'po' ? 'order' : humanizeName(kind).toLowerCase())
}
