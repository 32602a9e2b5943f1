import { Menu } from '@base-ui/react/menu'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import type { Contract } from '../../../client/contract.gen.ts'
import { toErrorMessage } from '../../api/error-message.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useChangePreview } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { readTextField, TextAreaField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { nameContract } from './contract-words.ts'

type OpenDialog = 'activate' | 'terminate' | 'revise' | 'notes' | 'archive'

/** Shows the buttons for the next steps of a contract. */
export function ContractMoves({ contract, isLatest }: { contract: Contract; isLatest: boolean }) {
  const can = useCan()
  const navigate = useNavigate()
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const { status } = contract
  const onClose = () => setOpen(null)
  const mayWrite = can('contracts:write') && contract.archivedAt === null
  const mayReprice = status === 'active' && can('pos:write') && can('skills:write')
  const repricePath = `/catalogue/contracts/${contract.id}/reprice`
  const mayRevise = mayWrite && isLatest && (status === 'active' || status === 'expired')
  return (
    <>
      {mayWrite && (
        <Menu.Root>
          <Menu.Trigger render={<Button icon="dots" />}>More</Menu.Trigger>
          <Menu.Portal>
            <Menu.Positioner className="over" sideOffset={4} align="end">
              <Menu.Popup className="menu">
                {mayReprice && (
                  <Menu.Item className="narrow-only" onClick={() => void navigate(repricePath)}>
                    Reprice orders…
                  </Menu.Item>
                )}
                {status !== 'draft' && <Menu.Item onClick={() => setOpen('notes')}>Edit notes…</Menu.Item>}
                {status === 'active' ? (
                  <Menu.Item onClick={() => setOpen('terminate')}>Terminate…</Menu.Item>
                ) : (
                  <Menu.Item onClick={() => setOpen('archive')}>Archive…</Menu.Item>
                )}
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      )}
      {mayWrite && status === 'draft' && (
        <Link className="btn" to={`/catalogue/contracts/${contract.id}/edit`}>
          Edit
        </Link>
      )}
      {mayReprice && (
        <Link className="btn" to={repricePath}>
          Reprice orders
        </Link>
      )}
      {mayRevise && (
        <Button look="primary" onClick={() => setOpen('revise')}>
          New revision
        </Button>
      )}
      {mayWrite && status === 'draft' && (
        <Button look="primary" onClick={() => setOpen('activate')}>
          Activate
        </Button>
      )}
      {open === 'activate' && <ActivateDialog contract={contract} onClose={onClose} />}
      {open === 'terminate' && <TerminateDialog contract={contract} onClose={onClose} />}
      {open === 'revise' && <ReviseDialog contract={contract} onClose={onClose} />}
      {open === 'notes' && <NotesDialog contract={contract} onClose={onClose} />}
      {open === 'archive' && <ArchiveDialog contract={contract} onClose={onClose} />}
    </>
  )
}

function ActivateDialog({ contract, onClose }: { contract: Contract; onClose(): void }) {
  const { day } = useFormats()
  const [endPrevious, setEndPrevious] = useState(false)
  const trial = useChangePreview('changeContractStatus', { contractId: contract.id, status: 'active', endPrevious })
  const change = useStatusChange(onClose)
  return (
    <MoveDialog
      title={`Activate ${nameContract(contract)}?`}
      effect={
        <>
          Estimates and orders use these prices from {day(contract.effectiveDate)}.
          {contract.revision > 1 && ' The prices of the previous revision end on the day before.'}
        </>
      }
      word="Activate"
      fields={
        <label className="check">
          <input
            type="checkbox"
            name="endPrevious"
            checked={endPrevious}
            onChange={(event) => {
              change.reset()
              setEndPrevious(event.target.checked)
            }}
          />
          <span>
            End overlapping prices
            <span className="hint">
              {' '}
              Other prices of the vendor that overlap with this contract end on the day before it starts.
            </span>
          </span>
        </label>
      }
      error={change.error}
      remedy={(error) => <AffectedParts contract={contract} error={error} />}
      isPending={change.isPending}
      {...{ trial, onClose }}
      onConfirm={() =>
        change.mutate({ params: { path: { contractId: contract.id } }, body: { status: 'active', endPrevious } })
      }
    />
  )
}

/** The errors of more lines are not named. The user corrects the first ones and then tries again. */
const MAX_NAMED_LINES = 5

/** Names the lines that an error is about, by their position in the contract. */
function AffectedParts({ contract, error }: { contract: Contract; error: unknown }) {
  if (error === null || error === undefined) return null
  const places = toErrorMessage(error).errors.flatMap(({ pointer }) => {
    const [, list, at] = /^\/(lines|lumpSums)\/(\d+)/.exec(pointer ?? '') ?? []
    return at === undefined ? [] : [`${list === 'lines' ? 'Price' : 'Lump sum'} ${Number(at) + 1}`]
  })
  if (places.length === 0 || contract.lines.length + contract.lumpSums.length === 1) return null
  const rest = places.length - MAX_NAMED_LINES
  return (
    <>
      Affected lines of the contract: {places.slice(0, MAX_NAMED_LINES).join(', ')}
      {rest > 0 && `, and ${rest} more`}.
    </>
  )
}

function TerminateDialog({ contract, onClose }: { contract: Contract; onClose(): void }) {
  const trial = useChangePreview('changeContractStatus', { contractId: contract.id, status: 'terminated' })
  const change = useStatusChange(onClose)
  return (
    <MoveDialog
      title={`Terminate ${nameContract(contract)}?`}
      effect="All prices of the contract end today. Orders keep their prices. This cannot be undone."
      word="Terminate"
      isDanger
      reason="optional"
      error={change.error}
      isPending={change.isPending}
      {...{ trial, onClose }}
      onConfirm={(reason) =>
        change.mutate({
          params: { path: { contractId: contract.id } },
          body: { status: 'terminated', endPrevious: false, ...(reason !== undefined && { reason }) },
        })
      }
    />
  )
}

function useStatusChange(onClose: () => void) {
  return plumbline.useMutation('post', '/api/ext/contracts/{contractId}/status', {
    onSuccess: (contract) => {
      showToast(`${nameContract(contract)}: ${STATUS_LOOKS.contract[contract.status].word.toLowerCase()}`)
      onClose()
    },
  })
}

function ReviseDialog({ contract, onClose }: { contract: Contract; onClose(): void }) {
  const navigate = useNavigate()
  const { day } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/contracts/{contractId}/revise', {
    onSuccess: (revised) => {
      showToast(`${nameContract(revised)} created`)
      onClose()
      void navigate(`/catalogue/contracts/${revised.id}/edit`)
    },
  })
  return (
    <FormDialog
      title={`Draft revision ${contract.revision + 1} of ${contract.number}`}
      note="The draft starts with the current terms and prices."
      size="narrow"
      word="Create draft"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const expirationDate = readTextField(form, 'expirationDate')
        change.mutate({
          params: { path: { contractId: contract.id } },
          body: {
            effectiveDate: readTextField(form, 'effectiveDate') ?? '',
            ...(expirationDate !== undefined && { expirationDate }),
          },
        })
      }}
    >
      <TextField
        name="effectiveDate"
        label="New prices valid from"
        type="date"
        hint="When you activate the draft, the current prices end on the day before this date."
      />
      <TextField
        name="expirationDate"
        label="Valid until"
        type="date"
        optional
        hint={
          contract.expirationDate === null
            ? 'If empty, the prices do not expire.'
            : `If empty, the prices still end on ${day(contract.expirationDate)}.`
        }
      />
    </FormDialog>
  )
}

/** Changes the fields that do not affect prices and can therefore change at any time. */
function NotesDialog({ contract, onClose }: { contract: Contract; onClose(): void }) {
  const change = plumbline.useMutation('patch', '/api/ext/contracts/{contractId}', {
    onSuccess: (saved) => {
      showToast(`${nameContract(saved)} changed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Edit notes of ${nameContract(contract)}`}
      note="To change the prices, create a new revision."
      size="narrow"
      word="Save"
      of={contract}
      {...{ change, onClose }}
      onSubmit={(form, header) =>
        change.mutate({
          params: { path: { contractId: contract.id }, header },
          body: {
            notes: readTextField(form, 'notes') ?? null,
            accountingId: readTextField(form, 'accountingId') ?? null,
          },
        })
      }
    >
      <TextAreaField name="notes" label="Notes" optional defaultValue={contract.notes ?? ''} />
      <TextField name="accountingId" label="Accounting ID" optional defaultValue={contract.accountingId ?? ''} />
    </FormDialog>
  )
}

function ArchiveDialog({ contract, onClose }: { contract: Contract; onClose(): void }) {
  const navigate = useNavigate()
  const change = plumbline.useMutation('delete', '/api/ext/contracts/{contractId}', {
    onSuccess: () => {
      showToast(`${nameContract(contract)} archived`)
      onClose()
      void navigate('/catalogue/contracts')
    },
  })
  return (
    <MoveDialog
      title={`Archive ${nameContract(contract)}?`}
      effect="The contract is no longer listed. Orders keep their prices. This cannot be undone."
      word="Archive"
      isDanger
      trial={null}
      error={change.error}
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={() => change.mutate({ params: { path: { contractId: contract.id } } })}
    />
  )
}
