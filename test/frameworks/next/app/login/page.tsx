export default function Page() {
  return <p>Please sign in.</p>
}
