/** Imports a package from here, where the peers and the published project are. */
export const load = (name: string) => import(name)
