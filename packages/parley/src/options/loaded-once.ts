/** Makes what loads something by its first use, once for all who need it. What could not be loaded is loaded again for the next. */
export function loadedOnce<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  return () => {
    if (loading !== undefined) return loading;
    loading = load();
    loading.catch(() => (loading = undefined));
    return loading;
  };
}
