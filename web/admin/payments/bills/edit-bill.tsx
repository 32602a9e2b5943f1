import { useNavigate, useParams } from 'react-router'
import type { Bill } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { Page } from '../../../ui/page.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../../ui/states.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { BillFiles } from './bill-files.tsx'
import { BillForm } from './bill-form.tsx'

/** Lets the user change a bill that is a draft or received, next to its file. */
export function Component() {
  const { billId = '' } = useParams()
  const bill = plumbline.useQuery('get', '/api/ext/bills/{billId}', { params: { path: { billId } } })
  const number = bill.data?.number ?? 'Bill'
  return (
    <Page
      title={`Edit ${number}`}
      crumbs={[
        { name: 'Payments', to: '/payments' },
        { name: 'Bills', to: '/payments/bills' },
        { name: number, to: `/payments/bills/${billId}` },
        { name: 'Edit' },
      ]}
    >
      <div className="page-head">
        <h1>Edit {number}</h1>
      </div>
      {bill.error !== null ? (
        <LoadError what="The bill" error={bill.error} onRetry={() => void bill.refetch()} />
      ) : bill.data === undefined ? (
        <SkeletonLines lines={6} />
      ) : bill.data.status === 'draft' || bill.data.status === 'received' ? (
        <EditedBill key={bill.data.id} bill={bill.data} />
      ) : (
        <EmptyState icon="lock" title={`${number} cannot be edited`}>
          The lines and dates of a bill can only be changed before its approval.
        </EmptyState>
      )}
    </Page>
  )
}

function EditedBill({ bill }: { bill: Bill }) {
  const navigate = useNavigate()
  const change = plumbline.useMutation('patch', '/api/ext/bills/{billId}', {
    onSuccess: ({ id, number }) => {
      showToast(`${number} changed`)
      void navigate(`/payments/bills/${id}`)
    },
  })
  return (
    <div className="beside-file">
      <BillForm
        bill={bill}
        error={change.error}
        isPending={change.isPending}
        word="Save bill"
        onSubmit={({ body }) =>
          change.mutate({
            params: { path: { billId: bill.id }, header: { 'If-Match': `"${bill.version}"` } },
            body,
          })
        }
      />
      <BillFiles bill={bill} />
    </div>
  )
}
